#version 450
// finds: race between workgroups: Out
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint8_t b[]; };
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
#ifdef WRONG
  b[g * 2 / 3] = uint8_t(a[g]);
#else
  b[i * 2 + gl_WorkGroupID.x] = uint8_t(a[g]); // two workgroups write bytes of the same word
#endif
}
