#version 450

// Multiply-adds of 32-bit integers as vectors of four, two chains a lane: the peak rate of the format.
layout(local_size_x = 64) in;

layout(constant_id = 0) const int rounds = 1;
layout(set = 0, binding = 0) writeonly buffer Out { int sums[]; };

void main() {
    ivec4 a = ivec4(1, 2, 3, 5) * int(gl_LocalInvocationID.x);
    ivec4 b = ivec4(7, 5, 3, 2) + ivec4(int(gl_GlobalInvocationID.x));
    ivec4 x = b;
    ivec4 y = a;
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
