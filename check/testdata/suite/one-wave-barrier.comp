#version 450
// finds: race within a wave: tile
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
shared uint tile[32];
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  tile[i] = a[g];
#ifndef WRONG
  barrier();
#endif
  b[g] = tile[31 - i];
}
