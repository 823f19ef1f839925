#version 450
#extension GL_EXT_shared_memory_block : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
// Two blocks of workgroup memory that lie over each other.
layout(local_size_x = 64) in;
shared Words { uint words[64]; };
shared Vectors { layout(offset = 0) uvec2 vectors[32]; };
layout(set = 0, binding = 0) writeonly buffer Out { uint found[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    words[i] = 1000 + i;
    barrier();
    found[i] = vectors[i / 2][(i + 1) & 1];
}
