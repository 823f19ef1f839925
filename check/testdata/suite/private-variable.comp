#version 450
// finds: read of memory that nothing wrote: total
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
uint total;
void add(uint x) { total += x; }
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
#ifndef WRONG
  total = 0;
#endif
  add(a[g]);
  add(2);
  b[g] = total;
}
