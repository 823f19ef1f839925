#version 450
// finds: read of memory that nothing wrote: y
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
void half_of(uint x, out uint y) {
#ifdef WRONG
  if (x % 2 == 0)
#endif
    y = x / 2;
}
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  uint y;
  half_of(a[g], y);
  b[g] = y;
}
