#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require

// y = A x with 8-bit integers and 32-bit sums: a workgroup of 64 sums some rows, 16 columns a lane and step, then adds over the workgroup.
layout(local_size_x = 64) in;

layout(constant_id = 0) const uint rows = 1;
layout(constant_id = 1) const uint wide = 16;
layout(set = 0, binding = 0) readonly buffer A { uint a[]; };
layout(set = 0, binding = 1) readonly buffer X { uint x[]; };
layout(set = 0, binding = 2) writeonly buffer Y { int y[]; };
layout(push_constant) uniform Push { uint words; };

shared int sums[64];

int products(uint p, uint q) {
    i8vec4 a = unpack8(int(p));
    i8vec4 b = unpack8(int(q));
    return int(a.x) * int(b.x) + int(a.y) * int(b.y) + int(a.z) * int(b.z) + int(a.w) * int(b.w);
}

void main() {
    uint lane = gl_LocalInvocationID.x;
    for (uint r = 0; r < rows; r++) {
        uint row = gl_WorkGroupID.x * rows + r;
        int sum = 0;
        for (uint i = lane * (wide / 4); i < words; i += 64 * (wide / 4)) {
            for (uint k = 0; k < wide / 4; k++) {
                sum += products(a[row * words + i + k], x[i + k]);
            }
        }
        sums[lane] = sum;
        barrier();
        for (uint n = 32; n > 0; n /= 2) {
            if (lane < n) {
                sums[lane] += sums[lane + n];
            }
            barrier();
        }
        if (lane == 0) {
            y[row] = sums[0];
        }
        barrier();
    }
}
