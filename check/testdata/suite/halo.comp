#version 450
// finds: read of memory that nothing wrote: tile
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
shared uint tile[66];
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  tile[i + 1] = a[g];
#ifndef WRONG
  if (i == 0) {
    tile[0] = 0;
    tile[65] = 0;
  }
#endif
  barrier();
  b[g] = tile[i] + tile[i + 2];
}
