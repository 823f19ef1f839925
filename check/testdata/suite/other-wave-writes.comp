#version 450
// finds: race between waves: tile
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
shared uint tile[32];
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  if (i >= 32)
    tile[i - 32] = a[g];
#ifndef WRONG
  barrier();
#endif
  if (i < 32)
    b[g] = tile[i];
}
