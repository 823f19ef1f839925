#version 450
// finds: race between waves: tile
// finds: race within a wave: tile
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
shared uint tile[64];
shared uint count;
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  if (i == 0)
    count = 0;
  barrier();
  tile[i] = a[g];
#ifndef WRONG
  memoryBarrierShared();
#endif
  if (atomicAdd(count, 1) == 63) {
#ifndef WRONG
    memoryBarrierShared();
#endif
    uint sum = 0;
    for (uint k = 0; k < 64; k++)
      sum += tile[k];
    b[gl_WorkGroupID.x] = sum;
  }
}
