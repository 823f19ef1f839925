#version 450
// finds: race between workgroups: Out
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  if (i == 0) {
    atomicAdd(b[0], 1);
#ifdef WRONG
    b[gl_WorkGroupID.x + 1] = b[0];
#else
    b[gl_WorkGroupID.x + 1] = atomicAdd(b[0], 0);
#endif
  }
}
