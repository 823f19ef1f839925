#version 450
// Writes sequences, and their number: one for each even invocation, of as many workgroups as three times its number and one.
layout(local_size_x = 64) in;
struct sequence { uint pipeline, first, value, x, y, z; };
layout(set = 0, binding = 0) buffer Sequences { sequence list[]; };
layout(set = 0, binding = 1) buffer Count { uint count, words; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i % 2 != 0) return;
    uint groups = i % 3 + 1;
    list[atomicAdd(count, 1)] = sequence(i / 2 % 2, atomicAdd(words, 32 * groups), i, groups, 1, 1);
}
