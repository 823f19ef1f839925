#version 450
// finds: race between waves: s
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
shared uint s[2][64];
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  s[0][i] = a[g];
  for (uint k = 0; k < 4; k++) {
    barrier();
#ifdef WRONG
    s[0][i] = s[0][(i + 32) % 64] + 1;
#else
    s[(k + 1) % 2][i] = s[k % 2][(i + 32) % 64] + 1;
#endif
  }
  b[g] = s[0][i];
}
