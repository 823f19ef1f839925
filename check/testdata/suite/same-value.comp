#version 450
// finds: lanes of one instruction write different values: any
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
shared uint any;
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
#ifdef WRONG
  any = i;
#else
  any = 7;
#endif
  barrier();
  b[g] = any;
}
