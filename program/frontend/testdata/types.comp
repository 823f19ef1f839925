#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_scalar_block_layout : require
// Every width in memory and in arithmetic.
layout(local_size_x = 8) in;
struct Mixed { int8_t a; uint16_t b; float16_t c; int64_t d; double e; u8vec3 f; };
layout(set = 0, binding = 0, scalar) readonly buffer In { Mixed mixed[]; };
layout(set = 0, binding = 1) buffer Out { int64_t result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    Mixed m = mixed[i];
    int64_t x = int64_t(m.a) * 3l + int64_t(m.b);
    int16_t s = int16_t(m.b) - int16_t(7);
    uint8_t u = m.f.x + m.f.y * m.f.z;
    result[i * 6] = x;
    result[i * 6 + 1] = int64_t(s) << 1;
    result[i * 6 + 2] = int64_t(u);
    result[i * 6 + 3] = m.d / int64_t(m.a == int8_t(0) ? 1 : m.a);
    result[i * 6 + 4] = int64_t(m.e * double(m.c));
    result[i * 6 + 5] = int64_t(m.c * float16_t(2.0)) + int64_t(pack32(u16vec2(m.b, uint16_t(s))));
}
