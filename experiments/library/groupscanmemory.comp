#version 450

// Prefix sums and maxima of blocks of 256 through LDS alone: eight doublings (Hillis and Steele, 1986), a barrier around each.
layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 1) writeonly buffer Sums { uint sums[]; };
layout(set = 0, binding = 2) writeonly buffer Most { uint most[]; };

shared uint prefix[256];
shared uint top[256];

void main() {
    uint i = gl_LocalInvocationIndex;
    uint sum = source[gl_GlobalInvocationID.x];
    uint best = sum;
    for (uint step = 1; step < 256; step *= 2) {
        prefix[i] = sum;
        top[i] = best;
        barrier();
        if (i >= step) {
            sum += prefix[i - step];
            best = max(best, top[i - step]);
        }
        barrier();
    }
    sums[gl_GlobalInvocationID.x] = sum;
    if (i == 255) {
        most[gl_WorkGroupID.x] = best;
    }
}
