#version 450

// Workgroups read or write a footprint, 16 bytes a lane, each from a place of its own on and from its end to its start, which needs few instructions.
layout(local_size_x_id = 0) in;

layout(constant_id = 1) const bool stores = false;

layout(set = 0, binding = 0) buffer Data { uvec4 data[]; };
layout(set = 0, binding = 1) writeonly buffer Result { uvec4 result; };
layout(push_constant) uniform Push { uint vectors; uint step; uint moves; uint never; }; // of 16 bytes in the footprint, and from one move to the next; moves of a lane, a multiple of 8

void main() {
    uint at = gl_GlobalInvocationID.x % vectors, step = step % vectors;
    uvec4 sum = uvec4(gl_LocalInvocationIndex);
    for (uint i = 0; i < moves; i += 8) {
        for (uint k = 0; k < 8; k++) {
            if (stores) {
                data[at] = sum;
            } else {
                uvec4 read = data[at];
                sum.xy += read.xz + read.yw; // two additions of three numbers
            }
            at += step;
            at = min(at, at - vectors); // on from the start behind the end
        }
    }
    if (!stores && sum.x == never) {
        result = sum;
    }
}
