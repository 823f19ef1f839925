#version 450
// finds: race between waves: s
// finds: race within a wave: s
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
shared uint s[64];
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  uint x = 0;
  for (uint k = 0; k < 3; k++) {
    s[(i + k) % 64] = x + k;
    barrier();
    x += s[(i + 32) % 64];
#ifdef WRONG
    if (k == 3) barrier();
#else
    barrier();
#endif
  }
  b[g] = x;
}
