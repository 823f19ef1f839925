#version 450
// finds: race between waves: tile
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
shared uint8_t tile[66];
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  tile[i] = uint8_t(a[g]); // neighbours in one word
#ifdef WRONG
  if (i == 31)
    tile[i + 1] = uint8_t(3);
#endif
  b[g] = uint(tile[i]);
}
