#version 450
// finds: read of memory that nothing wrote: x
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  uint x;
  if (a[g] % 3 == 0)
    x = 5;
#ifdef WRONG
  if (a[g] % 5 == 0)
#else
  if (a[g] % 3 == 0)
#endif
    b[g] = x;
}
