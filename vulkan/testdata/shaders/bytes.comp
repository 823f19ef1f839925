#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { int8_t a[]; };
layout(set = 0, binding = 1) readonly buffer B { uint8_t b[]; };
layout(set = 0, binding = 2) writeonly buffer C { int8_t c[]; };
layout(set = 0, binding = 3) writeonly buffer D { uint8_t d[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    c[i] = a[i] * int8_t(3) - int8_t(b[i] >> 1);
    d[i] = b[i] / uint8_t(7) + uint8_t(a[i]);
}
