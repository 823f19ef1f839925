#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require

// Multiply-adds of f16 as vectors of four, two chains a lane: the peak rate of the format.
layout(local_size_x = 64) in;

layout(constant_id = 0) const int rounds = 1;
layout(set = 0, binding = 0) writeonly buffer Out { float16_t sums[]; };

void main() {
    f16vec4 a = f16vec4(1, 2, 3, 5) * float16_t(gl_LocalInvocationID.x);
    f16vec4 b = f16vec4(7, 5, 3, 2) + f16vec4(float16_t(gl_GlobalInvocationID.x));
    f16vec4 x = b;
    f16vec4 y = a;
    for (int i = 0; i < rounds; i++) {
        x = a * x + b;
        y = a * y + b;
        x = a * x + b;
        y = a * y + b;
        x = a * x + b;
        y = a * y + b;
        x = a * x + b;
        y = a * y + b;
        x = a * x + b;
        y = a * y + b;
        x = a * x + b;
        y = a * y + b;
        x = a * x + b;
        y = a * y + b;
        x = a * x + b;
        y = a * y + b;
    }
    sums[gl_GlobalInvocationID.x] = x.x + y.x + x.y + y.y + x.z + y.z + x.w + y.w;
}
