#version 450
// finds: read of memory that nothing wrote: x
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  uint x;
#ifdef WRONG
  uint n = a[g] % 4;
#else
  uint n = a[g] % 4 + 1;
#endif
  for (uint k = 0; k < n; k++)
    x = k == 0 ? 7 : x * 3;
  b[g] = x;
}
