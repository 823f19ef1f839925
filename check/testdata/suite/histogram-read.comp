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
  barrier();
  atomicAdd(bins[a[g] * 7 % 64], 1);
#ifndef WRONG
  barrier();
#endif
  b[g] = bins[i];
}
