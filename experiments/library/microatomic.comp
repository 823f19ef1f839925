#version 450

// Each lane adds to words of a table, one after the other: to one, to few or to many.
layout(local_size_x = 256) in;

layout(constant_id = 0) const bool wanted = false; // what was there is used

layout(set = 0, binding = 0) buffer Words { uint words[]; };
layout(set = 0, binding = 1) writeonly buffer Flags { uint flags[]; };
layout(push_constant) uniform Push { uint mask; uint adds; uint never; }; // words that are added to, less 1: a power of two

void main() {
    uint state = gl_GlobalInvocationID.x, sum = 0;
    for (uint i = 0; i < adds; i++) {
        uint word = (state * 0x9E3779B1u >> 8) & mask;
        if (wanted) {
            sum |= atomicAdd(words[word], 1u);
        } else {
            atomicAdd(words[word], 1u);
        }
        state += gl_NumWorkGroups.x * 256u;
    }
    if (wanted && sum == never) {
        flags[0] = 1;
    }
}
