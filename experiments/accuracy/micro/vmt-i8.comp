#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_spirv_intrinsics : require
#extension GL_KHR_shader_subgroup_arithmetic : require

// A vector of bytes times a matrix that stands by rows of the result, with 32-bit sums: a subgroup makes some rows, one after the other, of
// which a lane takes some times 16 bytes in a step, those of a step all at once, and the subgroup adds up.
layout(local_size_x = 64) in;

layout(constant_id = 0) const uint rows = 1;
layout(constant_id = 1) const uint wide = 16;
layout(constant_id = 2) const bool dots = false; // by dot products in place of products of 16 bits
layout(set = 0, binding = 0) readonly buffer X { ivec4 x[]; };
layout(set = 0, binding = 1) readonly buffer A { ivec4 a[]; };
layout(set = 0, binding = 2) writeonly buffer Y { int y[]; };
layout(push_constant) uniform Push { uint blocks; }; // of 16 bytes in a row

spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6019, 6018], id = 4450)
int dot4(int p, int q, spirv_literal int format);

const uint most = 8; // blocks that a lane takes in a step

int products(int p, int q) {
    if (dots) {
        return dot4(p, q, 0);
    }
    i16vec4 v = i16vec4(unpack8(p)) * i16vec4(unpack8(q));
    return int(v.x) + int(v.y) + int(v.z) + int(v.w);
}

void main() {
    uint lane = gl_SubgroupInvocationID;
    uint step = wide / 16;
    for (uint r = 0; r < rows; r++) {
        uint row = gl_WorkGroupID.x * rows + r;
        ivec4 p[most];
        ivec4 q[most];
        int sum = 0;
        for (uint first = 0; first < blocks; first += step * gl_WorkGroupSize.x) {
            [[unroll]] for (uint k = 0; k < step; k++) {
                uint at = first + k * gl_WorkGroupSize.x + lane;
                p[k] = a[row * blocks + at];
                q[k] = x[at];
            }
            [[unroll]] for (uint k = 0; k < step; k++) {
                sum += products(p[k].x, q[k].x) + products(p[k].y, q[k].y) + products(p[k].z, q[k].z) + products(p[k].w, q[k].w);
            }
        }
        sum = subgroupAdd(sum);
        if (subgroupElect()) {
            y[row] = sum;
        }
    }
}
