#version 450
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly buffer Source { float source[]; };
layout(set = 0, binding = 1) writeonly buffer Sums { float sums[]; };
layout(constant_id = 0) const uint STEP = 1; // words between the numbers of neighbouring invocations
shared float part[256 * STEP];

void main() {
    uint me = gl_LocalInvocationID.x;
    part[me * STEP] = source[gl_GlobalInvocationID.x];
    for (uint reach = 128; reach > 0; reach /= 2) {
        barrier();
        if (me < reach) {
            part[me * STEP] += part[(me + reach) * STEP];
        }
    }
    if (me == 0) {
        sums[gl_WorkGroupID.x] = part[0];
    }
}
