#version 450
// finds: race between waves: rows
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
struct Row { uint key; uint value; };
shared Row rows[64];
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  rows[i].key = a[g];
  rows[i].value = i;
#ifdef WRONG
  b[g] = rows[(i + 32) % 64].value;
#else
  b[g] = rows[i].value; // its own
#endif
}
