#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 0, binding = 2) buffer C { float c[]; };
layout(push_constant) uniform P { uint n; };
shared float tA[16][16], tB[16][16];
void main() {
    uint tx = gl_LocalInvocationID.x, ty = gl_LocalInvocationID.y;
    uint row = gl_WorkGroupID.y * 16u + ty, col = gl_WorkGroupID.x * 16u + tx;
    float sum = 0.0;
    for (uint t = 0u; t < n / 16u; t++) {
        tA[ty][tx] = a[row * n + t * 16u + tx];
        tB[ty][tx] = b[(t * 16u + ty) * n + col];
        barrier();
        for (uint k = 0u; k < 16u; k++) {
            sum += tA[ty][k] * tB[k][tx];
        }
        barrier();
    }
    c[row * n + col] = 1.5 * sum + 1.2 * c[row * n + col];
}
