#version 450
// finds: race between waves: s
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
shared uint s[64];
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
#ifdef WRONG
  s[a[i] % 32] = i; // one lane of each wave for each place
#else
  s[a[i] % 64] = i;
#endif
  barrier();
  b[g] = s[i % 32];
}
