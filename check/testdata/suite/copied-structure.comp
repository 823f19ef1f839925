#version 450
// finds: read of memory that nothing wrote: param
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
struct Row { uint key; uint value; };
uint key(Row r) { return r.key; }
uint value(Row r) { return r.value; }
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  Row r;
  r.key = a[g]; // the value is copied too, and not used
#ifdef WRONG
  b[g] = value(r);
#else
  b[g] = key(r);
#endif
}
