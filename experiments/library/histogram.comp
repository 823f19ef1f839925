#version 450

// Counts how often each byte occurs in n words: atomics on a histogram in LDS, then one atomic a bin in memory.
layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly buffer Source { uint words[]; };
layout(set = 0, binding = 1) buffer Bins { uint bins[256]; };
layout(push_constant) uniform Push { uint n; };

shared uint mine[256];

void main() {
    uint local = gl_LocalInvocationIndex;
    mine[local] = 0;
    barrier();

    uint stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < n; i += stride) {
        uint word = words[i];
        atomicAdd(mine[bitfieldExtract(word, 0, 8)], 1u);
        atomicAdd(mine[bitfieldExtract(word, 8, 8)], 1u);
        atomicAdd(mine[bitfieldExtract(word, 16, 8)], 1u);
        atomicAdd(mine[bitfieldExtract(word, 24, 8)], 1u);
    }
    barrier();

    if (mine[local] != 0) {
        atomicAdd(bins[local], mine[local]);
    }
}
