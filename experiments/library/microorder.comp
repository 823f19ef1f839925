#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

// Writes a chain of pointers through all elements of a footprint, in an order that only looks random: one cycle, however many elements.
layout(local_size_x = 256) in;

layout(buffer_reference, std430, buffer_reference_align = 8) writeonly buffer Element { uint64_t next; };
layout(push_constant) uniform Push { uint64_t first; uint elements; uint apart; uint bits; }; // bytes from one to the next; 2^bits places at least

// A bijection of numbers of so many bits: odd factors and shifted sums can be undone. 0 stays 0, where chains begin.
uint shuffled(uint t) {
    uint mask = (1u << bits) - 1u, by = (bits + 1u) / 2u;
    t = (t * 0x9E3779B1u) & mask;
    t ^= t >> by;
    t = (t * 0x85EBCA6Bu) & mask;
    t ^= t >> by;
    return (t * 0xC2B2AE35u) & mask;
}

void main() {
    uint mask = (1u << bits) - 1u, t = gl_GlobalInvocationID.x, at = shuffled(t);
    if (t > mask || at >= elements) {
        return;
    }
    uint to;
    do { // the next place of the order that is an element
        t = (t + 1u) & mask;
        to = shuffled(t);
    } while (to >= elements);
    uint64_t here = first + uint64_t(at) * apart;
    Element(here).next = first + uint64_t(to) * apart;
    for (uint i = 8; i < apart; i += 8) { // no line of a cache is written in part
        Element(here + i).next = 0;
    }
}
