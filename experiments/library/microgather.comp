#version 450

// Each lane loads words at random from a table of its window: a generator of its own says where.
layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly buffer Table { uint table[]; };
layout(set = 0, binding = 1) writeonly buffer Sums { uint sums[]; };
layout(push_constant) uniform Push { uint mask; uint loads; }; // words of the window, less 1: a power of two

void main() {
    uint state = gl_GlobalInvocationID.x * 0x9E3779B1u + 1u, sum = 0;
    for (uint i = 0; i < loads; i++) {
        state = state * 1664525u + 1013904223u;
        sum += table[(state >> 12) & mask];
    }
    sums[gl_GlobalInvocationID.x] = sum;
}
