#version 450
// finds: race between waves: s
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
shared double s[64];
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  s[i] = double(a[g]);
#ifndef WRONG
  barrier();
#endif
  b[g] = uint(s[63 - i]);
}
