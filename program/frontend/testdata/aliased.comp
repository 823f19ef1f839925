#version 450
#extension GL_EXT_shared_memory_block : require
// Blocks of Workgroup memory that alias the same bytes.
layout(local_size_x = 8) in;
shared A { layout(offset = 0) uint words[8]; };
shared B { layout(offset = 0) uvec2 pairs[4]; };
layout(set = 0, binding = 0) buffer Out { uvec2 result[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    words[i] = i * i;
    barrier();
    result[i] = pairs[i & 3];
}
