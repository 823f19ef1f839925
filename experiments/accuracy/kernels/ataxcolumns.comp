#version 450

// y = transpose(A) * tmp for n x n floats, one invocation a column, accumulating in memory: the second half of y = transpose(A) * (A * x).
layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 2) readonly buffer Tmp { float tmp[]; };
layout(set = 0, binding = 3) buffer Y { float y[]; };
layout(push_constant) uniform Push { uint n; };

void main() {
    uint j = gl_GlobalInvocationID.x;
    if (j < n) {
        for (uint i = 0; i < n; i++) {
            y[j] += a[i * n + j] * tmp[i];
        }
    }
}
