#version 450

// Sorts blocks of 1024 unsigned numbers, one workgroup a block, with a bitonic network in LDS.
layout(local_size_x = 256) in;

layout(set = 0, binding = 0) buffer Keys { uint keys[]; };

shared uint block[1024];

void main() {
    uint local = gl_LocalInvocationIndex;
    uint start = gl_WorkGroupID.x * 1024;
    for (uint i = local; i < 1024; i += 256) {
        block[i] = keys[start + i];
    }
    barrier();

    for (uint size = 2; size <= 1024; size <<= 1) {
        for (uint gap = size >> 1; gap > 0; gap >>= 1) {
            for (uint pair = local; pair < 512; pair += 256) {
                uint left = 2 * pair - (pair & (gap - 1));
                uint right = left + gap;
                uint a = block[left];
                uint b = block[right];
                bool up = (left & size) == 0;
                if ((a > b) == up) {
                    block[left] = b;
                    block[right] = a;
                }
            }
            barrier();
        }
    }

    for (uint i = local; i < 1024; i += 256) {
        keys[start + i] = block[i];
    }
}
