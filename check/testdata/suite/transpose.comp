#version 450
// finds: race between waves: tile
// finds: race within a wave: tile
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
shared uint tile[16][17];
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  uint x = i % 16, y = i / 16;
  tile[y][x] = a[g];
#ifndef WRONG
  barrier();
#endif
  b[g] = tile[x][y];
}
