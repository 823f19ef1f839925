#version 450
// finds: read of memory that nothing wrote: s
#extension GL_EXT_null_initializer : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
#ifdef WRONG
shared uint s[64];
#else
shared uint s[64] = {};
#endif
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  if (i < 32)
    s[i] = a[g];
  barrier();
  b[g] = s[63 - i];
}
