#version 450

// Multiply-adds of f64 as vectors of four, two chains a lane: the peak rate of the format.
layout(local_size_x = 64) in;

layout(constant_id = 0) const int rounds = 1;
layout(set = 0, binding = 0) writeonly buffer Out { double sums[]; };

void main() {
    dvec4 a = dvec4(1, 2, 3, 5) * double(gl_LocalInvocationID.x);
    dvec4 b = dvec4(7, 5, 3, 2) + dvec4(double(gl_GlobalInvocationID.x));
    dvec4 x = b;
    dvec4 y = a;
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
