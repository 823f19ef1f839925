#version 450

// tmp = A * x for n x n floats, one invocation a row, accumulating in memory: the first half of y = transpose(A) * (A * x).
layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer X { float x[]; };
layout(set = 0, binding = 2) buffer Tmp { float tmp[]; };
layout(push_constant) uniform Push { uint n; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < n) {
        for (uint j = 0; j < n; j++) {
            tmp[i] += a[i * n + j] * x[j];
        }
    }
}
