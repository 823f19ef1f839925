#version 450
// finds: race within a wave: lower
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
shared uint lower[16];
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
#ifdef WRONG
  if (i < 16)
    lower[i] = a[g];
  else
    b[g] = lower[i - 16];
#else
  if (i < 16)
    lower[i] = a[g];
  barrier();
  if (i >= 16)
    b[g] = lower[i - 16];
#endif
}
