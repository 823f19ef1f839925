#version 450

// Workgroups read or write workgroup memory, 16 bytes a lane.
layout(local_size_x_id = 0) in;

layout(constant_id = 1) const bool stores = false;
layout(constant_id = 2) const uint size = 4096; // vectors of workgroup memory

layout(set = 0, binding = 0) writeonly buffer Result { uvec4 result; };
layout(push_constant) uniform Push { uint moves; uint never; }; // of a lane, a multiple of 8

shared uvec4 words[size];

void main() {
    uint lane = gl_LocalInvocationIndex, at = lane;
    uvec4 sum = uvec4(lane);
    for (uint i = lane; i < size; i += gl_WorkGroupSize.x) {
        words[i] = sum;
    }
    barrier();
    for (uint i = 0; i < moves; i += 8) {
        for (uint k = 0; k < 8; k++) {
            if (stores) {
                words[at + size / 16 * k] = sum;
            } else {
                uvec4 read = words[at + size / 16 * k];
                sum.xy += read.xz + read.yw; // two additions of three numbers
            }
        }
        at = (at + 64) % (size / 2);
    }
    if (sum.x == never) {
        result = sum + words[lane];
    }
}
