#version 450
// finds: race between waves: tile
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
shared uint tile[64];
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  tile[i] = 0;
#ifdef WRONG
  barrier();
#endif
  tile[i] = a[g];
#ifndef WRONG
  barrier();
#endif
  b[g] = tile[(i + 32) % 64];
}
