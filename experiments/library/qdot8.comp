#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_shader_subgroup_arithmetic : require

// y = W * x with both quantised to 8 bits in blocks of 32 that share a 16-bit float scale, one workgroup a row.
layout(local_size_x = 64) in;

layout(set = 0, binding = 0) readonly buffer Weights { int8_t weights[]; };
layout(set = 0, binding = 1) readonly buffer WeightScales { float16_t weightScales[]; };
layout(set = 0, binding = 2) readonly buffer X { int8_t x[]; };
layout(set = 0, binding = 3) readonly buffer XScales { float16_t xScales[]; };
layout(set = 0, binding = 4) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint blocks; };

shared float sums[64];

void main() {
    uint row = gl_WorkGroupID.x;
    float sum = 0.0;
    for (uint block = gl_LocalInvocationIndex; block < blocks; block += 64) {
        uint w = (row * blocks + block) * 32;
        int dot = 0;
        for (uint i = 0; i < 32; i++) {
            int16_t product = int16_t(weights[w + i]) * int16_t(x[block * 32 + i]);
            dot += int(product);
        }
        float16_t scale = weightScales[row * blocks + block] * xScales[block];
        sum += float(scale) * float(dot);
    }

    sum = subgroupAdd(sum);
    if (subgroupElect()) {
        sums[gl_SubgroupID] = sum;
    }
    barrier();
    if (gl_LocalInvocationIndex == 0) {
        float total = 0.0;
        for (uint i = 0; i < gl_NumSubgroups; i++) {
            total += sums[i];
        }
        y[row] = total;
    }
}
