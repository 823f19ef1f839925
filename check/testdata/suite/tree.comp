#version 450
// finds: race between waves: sum
// finds: race within a wave: sum
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
shared uint sum[128];
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  sum[i] = a[g];
  barrier();
  for (uint n = 64; n > 0; n /= 2) {
    if (i < n)
      sum[i] += sum[i + n];
#ifndef WRONG
    barrier();
#endif
  }
  if (i == 0)
    b[gl_WorkGroupID.x] = sum[0];
}
