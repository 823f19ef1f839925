#version 450
#extension GL_EXT_debug_printf : require
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Data { uint words[]; };
void main() {
    uint i = gl_LocalInvocationID.x;
    debugPrintfEXT("word %u is %u", i, words[i]);
    words[i] += 1;
}
