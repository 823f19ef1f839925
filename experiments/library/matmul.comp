#version 450
#extension GL_EXT_control_flow_attributes : require

// C = A * B for square matrices of n x n floats, n a multiple of 64. A workgroup computes a tile of 64 x 64:
// a slice of A and one of B, 16 deep, go through LDS, and each invocation keeps a block of 4 x 4 sums in registers.
layout(local_size_x = 16, local_size_y = 16) in;

layout(set = 0, binding = 0) readonly buffer A { vec4 a[]; };
layout(set = 0, binding = 1) readonly buffer B { vec4 b[]; };
layout(set = 0, binding = 2) writeonly buffer C { vec4 c[]; };
layout(push_constant) uniform Push { uint n; };

// A row of A's slice is four vec4 and one of padding, so that rows a wave reads at once lie in different banks.
shared vec4 sliceA[64 * 5];
shared vec4 sliceB[16 * 16];

void main() {
    uint tx = gl_LocalInvocationID.x;
    uint ty = gl_LocalInvocationID.y;
    uint local = gl_LocalInvocationIndex;
    uint pitch = n / 4;
    uint row = gl_WorkGroupID.y * 64;
    uint column = gl_WorkGroupID.x * 16;

    vec4 sum0 = vec4(0.0);
    vec4 sum1 = vec4(0.0);
    vec4 sum2 = vec4(0.0);
    vec4 sum3 = vec4(0.0);

    uint fromA = (row + local / 4) * pitch + local % 4;
    uint fromB = ty * pitch + column + tx;
    uint toA = (local / 4) * 5 + local % 4;
    for (uint k = 0; k < n; k += 16) {
        sliceA[toA] = a[fromA];
        sliceB[local] = b[fromB];
        fromA += 4;
        fromB += 16 * pitch;
        barrier();

        [[unroll]] for (uint j = 0; j < 4; j++) {
            vec4 a0 = sliceA[(ty * 4 + 0) * 5 + j];
            vec4 a1 = sliceA[(ty * 4 + 1) * 5 + j];
            vec4 a2 = sliceA[(ty * 4 + 2) * 5 + j];
            vec4 a3 = sliceA[(ty * 4 + 3) * 5 + j];
            vec4 b0 = sliceB[(j * 4 + 0) * 16 + tx];
            vec4 b1 = sliceB[(j * 4 + 1) * 16 + tx];
            vec4 b2 = sliceB[(j * 4 + 2) * 16 + tx];
            vec4 b3 = sliceB[(j * 4 + 3) * 16 + tx];
            sum0 = a0.x * b0 + sum0;
            sum1 = a1.x * b0 + sum1;
            sum2 = a2.x * b0 + sum2;
            sum3 = a3.x * b0 + sum3;
            sum0 = a0.y * b1 + sum0;
            sum1 = a1.y * b1 + sum1;
            sum2 = a2.y * b1 + sum2;
            sum3 = a3.y * b1 + sum3;
            sum0 = a0.z * b2 + sum0;
            sum1 = a1.z * b2 + sum1;
            sum2 = a2.z * b2 + sum2;
            sum3 = a3.z * b2 + sum3;
            sum0 = a0.w * b3 + sum0;
            sum1 = a1.w * b3 + sum1;
            sum2 = a2.w * b3 + sum2;
            sum3 = a3.w * b3 + sum3;
        }
        barrier();
    }

    uint to = (row + ty * 4) * pitch + column + tx;
    c[to] = sum0;
    c[to + pitch] = sum1;
    c[to + 2 * pitch] = sum2;
    c[to + 3 * pitch] = sum3;
}
