#version 450
// finds: read of memory that nothing wrote: found
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
shared uint found;
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
#ifndef WRONG
  if (i == 0)
    found = 0;
  barrier();
#endif
  if (a[g] == 5000) // none is
    found = 1;
  barrier();
  b[g] = found;
}
