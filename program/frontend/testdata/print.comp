#version 450
#extension GL_EXT_debug_printf : require
layout(local_size_x = 2) in;
void main() {
    debugPrintfEXT("lane %u of %v2f", gl_LocalInvocationIndex, vec2(1.5, 2.0));
}
