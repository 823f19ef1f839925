#version 450
// finds: race between waves: s
// finds: race within a wave: s
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
shared uint s[64];
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  s[i] = a[g];
  barrier();
  for (uint n = 1; n < 64; n *= 2) {
    uint x = i >= n ? s[i - n] : 0;
#ifndef WRONG
    barrier();
#endif
    s[i] += x;
    barrier();
  }
  b[g] = s[i];
}
