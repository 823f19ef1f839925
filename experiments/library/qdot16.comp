#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_KHR_shader_subgroup_arithmetic : require

// y = W * x with both quantised to 16 bits, one workgroup a row; products are 32 bits wide and their sum wraps.
layout(local_size_x = 64) in;

layout(set = 0, binding = 0) readonly buffer Weights { i16vec2 weights[]; };
layout(set = 0, binding = 1) readonly buffer X { i16vec2 x[]; };
layout(set = 0, binding = 2) writeonly buffer Y { int y[]; };
layout(push_constant) uniform Push { uint pairs; int shift; };

shared int sums[64];

void main() {
    uint row = gl_WorkGroupID.x;
    int sum = 0;
    for (uint i = gl_LocalInvocationIndex; i < pairs; i += 64) {
        ivec2 product = ivec2(weights[row * pairs + i]) * ivec2(x[i]);
        sum += (product.x >> shift) + (product.y >> shift);
    }

    sum = subgroupAdd(sum);
    if (subgroupElect()) {
        sums[gl_SubgroupID] = sum;
    }
    barrier();
    if (gl_LocalInvocationIndex == 0) {
        int total = 0;
        for (uint i = 0; i < gl_NumSubgroups; i++) {
            total += sums[i];
        }
        y[row] = total;
    }
}
