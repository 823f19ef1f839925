#version 450
// finds: race between waves: tile
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
shared uint tile[64];
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  uint sum = 0;
  for (uint t = 0; t < 3; t++) {
    tile[i] = a[t * 64 + i];
    barrier();
    sum += tile[i] + tile[(i + 32) % 64];
#ifndef WRONG
    barrier();
#endif
  }
  b[g] = sum;
}
