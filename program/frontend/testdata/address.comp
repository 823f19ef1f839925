#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// A linked list behind 64-bit addresses.
layout(local_size_x = 4) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node { Node next; uvec2 value; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint w[]; };
layout(push_constant) uniform P { Node head; uint64_t words; } p;
layout(set = 0, binding = 0) buffer Out { uint result[]; };
void main() {
    uint i = gl_LocalInvocationIndex, sum = 0;
    Node n = p.head;
    for (uint k = 0; k < i; k++) n = n.next;
    sum = n.value.x + n.value.y * 1000;
    Words w = Words(p.words);
    w.w[i] = sum;
    Words v = Words(p.words + 4ul);
    result[i] = v.w[i + 3];
}
