#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// Follows pointers in memory from one that was pushed, and writes through another.
layout(local_size_x = 1) in;
layout(buffer_reference, std430) buffer Node;
layout(buffer_reference, std430) buffer Node { Node next; uint value; uint pad; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint words[]; };
layout(push_constant) uniform Push { Node first; Words outcome; uint64_t distance; };
void main() {
    uint i = 0;
    for (Node n = first; uint64_t(n) != 0 && i < 100; n = n.next) {
        outcome.words[i++] = n.value;
    }
    Words further = Words(uint64_t(outcome) + distance);
    further.words[0] = i;
}
