#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_float64 : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { int64_t a[]; };
layout(set = 0, binding = 1) readonly buffer B { double b[]; };
layout(set = 0, binding = 2) writeonly buffer C { int64_t c[]; };
layout(set = 0, binding = 3) writeonly buffer D { double d[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    c[i] = a[i] * 1000003l + a[i] / 7l - (a[i] >> 9);
    d[i] = sqrt(b[i]) / 3.0lf + double(a[i]);
}
