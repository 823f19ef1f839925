#version 450
// finds: race between workgroups: Out
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  if (gl_WorkGroupID.x == 0) {
    b[i + 64] = a[g];
    memoryBarrierBuffer();
    barrier();
    if (i == 0)
#ifdef WRONG
      atomicExchange(b[1], 1);
    barrier();
    b[i + 64] = a[g]; // behind what the other workgroup waits for
#else
      atomicExchange(b[1], 1);
#endif
  } else {
    if (i == 0)
      while (atomicAdd(b[1], 0) == 0) {}
    barrier();
    memoryBarrierBuffer();
    b[i + 1024] = b[i + 64];
  }
}
