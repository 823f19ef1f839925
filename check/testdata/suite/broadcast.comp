#version 450
// finds: race between waves: first
// finds: race within a wave: first
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
shared uint first;
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  if (i == 0)
    first = a[g];
#ifndef WRONG
  barrier();
#endif
  b[g] = first;
}
