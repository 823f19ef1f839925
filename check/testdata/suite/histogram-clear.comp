#version 450
// finds: race between waves: bins
// finds: race within a wave: bins
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
shared uint bins[64];
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  bins[i] = 0;
#ifndef WRONG
  barrier();
#endif
  atomicAdd(bins[(a[g] * 7 + 40) % 64], 1);
  barrier();
  b[g] = bins[i];
}
