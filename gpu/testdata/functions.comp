#version 450
// Functions of floats, eight results each.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) readonly buffer Y { float y[]; };
layout(set = 0, binding = 2) writeonly buffer R { float r[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    float a = x[i], b = y[i];
    r[8 * i] = a / b;
    r[8 * i + 1] = sqrt(a);
    r[8 * i + 2] = exp(a);
    r[8 * i + 3] = log(a);
    r[8 * i + 4] = pow(a, b);
    r[8 * i + 5] = sin(a);
    r[8 * i + 6] = cos(a);
    r[8 * i + 7] = sin(a * 65536.0);
}
