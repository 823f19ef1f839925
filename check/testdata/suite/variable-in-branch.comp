#version 450
// finds: read of memory that nothing wrote: x
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  uint x;
#ifndef WRONG
  x = 0;
#endif
  if (a[g] % 3 == 0)
    x = 5;
  b[g] = x;
}
