#version 450

// Workgroups read a footprint again and again, 16 bytes a lane; those side by side may share each pass of it.
layout(local_size_x_id = 0) in;

layout(constant_id = 1) const uint share = 1;     // 2 where a unit is two compute units, each with a first cache of its own
layout(constant_id = 2) const bool alone = false; // each unit has a footprint of its own

layout(set = 0, binding = 0) readonly buffer Data { uvec4 data[]; };
layout(set = 0, binding = 1) writeonly buffer Sink { uvec4 sink[]; };
layout(push_constant) uniform Push { uint vectors; uint loads; uint never; }; // of 16 bytes in a footprint; loads of a lane, a multiple of 4

void main() {
    uint group = gl_WorkGroupID.x, lanes = gl_WorkGroupSize.x * share;
    uint at = (group % share * gl_WorkGroupSize.x + gl_LocalInvocationIndex) % vectors, step = lanes % vectors;
    uint base = alone ? group / share * vectors : 0;
    uvec4 sum = uvec4(0);
    for (uint i = 0; i < loads; i += 4) {
        for (uint k = 0; k < 4; k++) {
            sum ^= data[base + at];
            at += step;
            at = min(at, at - vectors); // back to the start of the footprint behind its end
        }
    }
    if (sum.x == never) {
        sink[gl_GlobalInvocationID.x] = sum;
    }
}
