#version 450
// finds: read of memory that nothing wrote: v
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  uint v[16];
  for (uint k = 0; k < a[g] % 16 + 1; k++)
    v[(k * 7) % 16] = k;
#ifdef WRONG
  b[g] = v[(a[g] * 5 + 3) % 16];
#else
  b[g] = v[(a[g] % 16 * 7) % 16];
#endif
}
