#version 450
// finds: read of memory that nothing wrote: v
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  vec4 v;
  v.xy = vec2(a[g], 2);
  v.z = 1;
#ifdef WRONG
  b[g] = uint(v.x + v.w);
#else
  b[g] = uint(v.x + v.z);
#endif
}
