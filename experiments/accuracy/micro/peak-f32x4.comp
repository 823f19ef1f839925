#version 450

// Multiply-adds of f32 as vectors of four, two chains a lane: the peak rate of the format.
layout(local_size_x = 64) in;

layout(constant_id = 0) const int rounds = 1;
layout(set = 0, binding = 0) writeonly buffer Out { float sums[]; };

void main() {
    vec4 a = vec4(1, 2, 3, 5) * float(gl_LocalInvocationID.x);
    vec4 b = vec4(7, 5, 3, 2) + vec4(float(gl_GlobalInvocationID.x));
    vec4 x = b;
    vec4 y = a;
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
