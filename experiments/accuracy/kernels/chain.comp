#version 450
// A chain through one word of each 64 bytes, in an order that only looks random: one cycle, however many elements.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) writeonly buffer N { uint next[]; };
layout(push_constant) uniform P { uint elements, bits; }; // 2^bits places at least
// A bijection of numbers of so many bits: odd factors and shifted sums can be undone.
uint shuffled(uint t) {
    uint mask = (1u << bits) - 1u, by = (bits + 1u) / 2u;
    t = (t * 0x9E3779B1u + 0x7F4A7C15u) & mask;
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
    for (uint i = 0u; i < 16u; i++) { // no line of a cache is written in part
        next[at * 16u + i] = to * 16u;
    }
}
