#version 450
// finds: read of memory that nothing wrote: s
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
shared uint s[64];
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
#ifdef WRONG
  s[i] += a[g];
#else
  s[i] = a[g];
#endif
  b[g] = s[i];
}
