#version 450
// Accesses in steps through a buffer of zeros, in one of several ways.
layout(constant_id = 0) const uint MODE = 0;
layout(local_size_x_id = 1) in;

layout(set = 0, binding = 0) readonly buffer Table { uint table[]; };
layout(set = 0, binding = 1) buffer Words { uint words[]; };
layout(set = 0, binding = 1) readonly buffer Pairs { uvec2 pairs[]; };
layout(set = 0, binding = 2) writeonly buffer Sink { uint sink[]; };
layout(push_constant) uniform Push { uint lane; uint step; uint steps; uint rounds; uint group; };

void main() {
    uint first = gl_LocalInvocationIndex * lane + gl_WorkGroupID.x * group, sum = 0;
    for (uint r = 0; r < rounds; r++) {
        uint at = first, u = gl_WorkGroupID.x * group;
        for (uint s = 0; s < steps; s++) {
            if (MODE == 0) at += words[at];                         // one after the other
            if (MODE == 1) {                                        // four at a time
                sum += words[at] + words[at + step] + words[at + 2 * step] + words[at + 3 * step];
                at += 3 * step;
            }
            if (MODE == 2) words[at] = sum;                         // stores
            if (MODE == 3) sum += atomicAdd(words[at], 0);          // atomics
            if (MODE == 4) u += table[u] + step;                    // scalar loads
            if (MODE == 5) {                                        // what was stored before
                words[at] = sum;
                memoryBarrierBuffer();
                at += words[at];
            }
            if (MODE == 6) {                                        // arithmetic
                sum ^= at; at += sum; sum ^= at << 1; at ^= sum; sum += at; at ^= sum << 2; sum ^= at; at += sum;
                at ^= sum << 3; sum ^= at; at += sum << 4; sum ^= at; at ^= sum << 5; sum += at; at ^= sum; sum ^= at << 6; at += sum;
                at ^= sum << 7; sum ^= at; at += sum << 8; sum ^= at; at ^= sum << 9; sum += at; at ^= sum; sum ^= at << 1; at += sum;
                at ^= sum << 2; sum ^= at; at += sum << 3; sum ^= at; at ^= sum << 4; sum += at; at ^= sum; sum ^= at << 5; at += sum;
            }
            if (MODE == 7) {                                        // a store, and then a load of another place
                words[at] = sum;
                at += words[at + 4096];
            }
            if (MODE == 8) {                                        // pairs of words, one after the other
                uvec2 pair = pairs[at];
                at += pair.x + pair.y;
            }
            at += step;
        }
        sum += at + u;
    }
    sink[gl_GlobalInvocationID.x] = sum;
}
