#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_16bit_storage : require

// Multiply-adds of 16-bit integers as vectors of four, two chains a lane: the peak rate of the format.
layout(local_size_x = 64) in;

layout(constant_id = 0) const int rounds = 1;
layout(set = 0, binding = 0) writeonly buffer Out { int16_t sums[]; };

void main() {
    i16vec4 a = i16vec4(1, 2, 3, 5) * int16_t(gl_LocalInvocationID.x);
    i16vec4 b = i16vec4(7, 5, 3, 2) + i16vec4(int16_t(gl_GlobalInvocationID.x));
    i16vec4 x = b;
    i16vec4 y = a;
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
