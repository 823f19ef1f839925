#version 450
// finds: race between workgroups: Out
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  b[g] = a[g];
  barrier();
#ifdef WRONG
  b[g + 1024] = b[(g + 64) % 128]; // a barrier is for one workgroup
#else
  b[g + 1024] = b[gl_WorkGroupID.x * 64 + 63 - i];
#endif
}
