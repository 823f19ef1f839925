#version 450
// What is right of and below the perimeter, less the product of a column tile and a row tile.
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) buffer M { float m[]; };
layout(push_constant) uniform P { uint n, first; };
shared float left[16][16], top[16][16];
void main() {
    uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
    uint row = first + 16u * (gl_WorkGroupID.y + 1u) + y, col = first + 16u * (gl_WorkGroupID.x + 1u) + x;
    left[y][x] = m[row * n + first + x];
    top[y][x] = m[(first + y) * n + col];
    barrier();
    float sum = 0.0;
    for (uint k = 0u; k < 16u; k++) {
        sum += left[y][k] * top[k][x];
    }
    m[row * n + col] -= sum;
}
