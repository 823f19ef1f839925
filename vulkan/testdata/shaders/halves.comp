#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { int16_t a[]; };
layout(set = 0, binding = 1) readonly buffer B { f16vec2 b[]; };
layout(set = 0, binding = 2) writeonly buffer C { int16_t c[]; };
layout(set = 0, binding = 3) writeonly buffer D { float16_t d[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    c[i] = int16_t(a[i] * int16_t(5) % int16_t(1000)) - int16_t(i);
    d[i] = b[i].x * b[i].y + float16_t(0.5);
}
