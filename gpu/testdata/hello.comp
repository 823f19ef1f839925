#version 450
#extension GL_EXT_debug_printf : require
layout(local_size_x = 32) in;
void main() {
  uint i = gl_LocalInvocationID.x;
  if (i < 2) debugPrintfEXT("lane %u: %d %5.2f %x %v2f %f|%%", i, -int(i), float(i) * 0.5, i + 250, vec2(i, 1.5), 1.25);
}
