#version 450

// What a workgroup does, a row of a table says: rounds of loads, arithmetic, stores, atomics and passes over LDS.
layout(local_size_x = 64) in;

struct Behaviour {
    uint rounds;
    uint arithmetic; // operations a round
    uint loads;      // a round
    uint span;       // mask of the words that loads reach, from base on
    uint base;
    uint stride;     // words from lane to lane; 0: scattered
    uint stores;     // a round
    uint atomics;    // a round
    uint bins;       // mask of the words that atomics reach
    uint passes;     // of LDS, with barriers around
    uint bank;       // words from lane to lane in LDS
    uint unused;
};

layout(set = 0, binding = 0) readonly buffer Which { uint which[]; };
layout(set = 0, binding = 1) readonly buffer Table { Behaviour behaviours[]; };
layout(set = 0, binding = 2) readonly buffer Source { uint words[]; };
layout(set = 0, binding = 3) buffer Result { uint result[]; };
layout(set = 0, binding = 4) buffer Bins { uint bins[]; };
layout(push_constant) uniform Push { uint first; uint each; };

shared uint own[2048];

uint mixed(uint x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

void main() {
    uint group = gl_WorkGroupID.x, lane = gl_LocalInvocationIndex;
    Behaviour b = behaviours[which[first + group * each]];
    uint sum = lane;
    for (uint i = 0; i < b.rounds; i++) {
        uint line = (group * b.rounds + i) * 64 + lane;
        for (uint k = 0; k < b.loads; k++) {
            uint at = (line * b.loads + k * 64) * b.stride;
            if (b.stride == 0) {
                at = mixed(line * 8 + k);
            }
            sum += words[b.base + (at & b.span)];
        }
        for (uint k = 0; k < b.arithmetic; k++) {
            sum = sum * 1664525u + 1013904223u;
        }
        for (uint k = 0; k < b.stores; k++) {
            result[(line * b.stores + k * 64) & b.span] = sum;
        }
        for (uint k = 0; k < b.atomics; k++) {
            atomicAdd(bins[mixed(line + k) & b.bins], 1u);
        }
        for (uint k = 0; k < b.passes; k++) {
            own[lane * b.bank & 2047] = sum;
            barrier();
            sum += own[(lane ^ 1) * b.bank & 2047];
            barrier();
        }
    }
    result[group * 64 + lane & 0xffff] = sum;
}
