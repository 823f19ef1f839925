#version 450
// finds: read of memory that nothing wrote: bins
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
shared uint bins[64];
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
#ifndef WRONG
  bins[i] = 0;
#endif
  barrier();
  atomicAdd(bins[a[g] % 32 * 2], 1);
  barrier();
#ifdef WRONG
  b[g] = bins[i / 2 * 2];
#else
  b[g] = bins[i];
#endif
}
