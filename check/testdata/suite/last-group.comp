#version 450
// finds: race between workgroups: Out
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
shared uint before;
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  b[g + 64] = a[g];
#ifndef WRONG
  memoryBarrierBuffer();
#endif
  barrier();
  if (i == 0)
    before = atomicAdd(b[0], 1);
  barrier();
  if (before == 1) {
#ifndef WRONG
    memoryBarrierBuffer();
#endif
    b[i + 1024] = b[i + 64] + b[i + 128];
  }
}
