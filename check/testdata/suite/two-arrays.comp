#version 450
// finds: race between waves: x
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
shared uint x[64], y[64];
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  y[i] = 1;
  barrier();
  x[i] = a[g];
#ifdef WRONG
  b[g] = x[63 - i];
#else
  b[g] = y[63 - i]; // which nothing writes any more
#endif
}
