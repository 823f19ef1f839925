#version 450

// Workgroups read a footprint again and again, 16 bytes a lane; several may share each pass of it.
layout(local_size_x_id = 0) in;

layout(constant_id = 1) const uint share = 1;     // 2 where a unit is two compute units, each with a first cache of its own
layout(constant_id = 2) const bool alone = false; // each unit has a footprint of its own
layout(constant_id = 3) const uint apart = 1;     // from a workgroup to the next one that shares its passes
layout(constant_id = 4) const uint unrolled = 4;  // loads in the body of the loop, whose data is waited for at its end
layout(constant_id = 5) const uint ahead = 4;     // of them, loads in flight

layout(set = 0, binding = 0) readonly buffer Data { uvec4 data[]; }; // zeros, where ahead < unrolled
layout(set = 0, binding = 1) writeonly buffer Sink { uvec4 sink[]; };
layout(push_constant) uniform Push { uint vectors; uint loads; uint never; }; // of 16 bytes in a footprint; loads of a lane, a multiple of unrolled

void main() {
    uint group = gl_WorkGroupID.x, lanes = gl_WorkGroupSize.x * share;
    uint first = (group / apart % share * gl_WorkGroupSize.x + gl_LocalInvocationIndex) % vectors, step = lanes % vectors;
    uint base = alone ? group / share * vectors : 0, from = 0;
    uvec4 sum = uvec4(0);
    for (uint i = 0; i < loads; i += unrolled) {
        uvec4 loaded[unrolled];
        for (uint k = 0; k < unrolled; k++) {
            uint at = first + from, zero = ahead < unrolled ? sum.x : 0; // which is known when all loads but the last ahead - 1 are back
            loaded[k] = data[base + min(at, at - vectors) + zero];
            from += step;
            from = min(from, from - vectors); // back to the start of the footprint behind its end
            if (k + 1 >= ahead) {
                sum ^= loaded[k + 1 - ahead];
            }
        }
        for (uint k = unrolled + 1 - ahead; k < unrolled; k++) {
            sum ^= loaded[k];
        }
    }
    if (sum.x == never) {
        sink[gl_GlobalInvocationID.x] = sum;
    }
}
