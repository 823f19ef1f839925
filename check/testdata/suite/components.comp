#version 450
// finds: race within a wave: v
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
shared vec4 v[16];
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  v[i / 4][i % 4] = float(a[g]); // each lane has a component
#ifndef WRONG
  barrier();
#endif
  b[g] = uint(v[i / 4][3 - i % 4]);
}
