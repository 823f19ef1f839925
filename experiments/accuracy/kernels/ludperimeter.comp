#version 450
// The tiles right of the diagonal tile (z = 0) and below it (z = 1).
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) buffer M { float m[]; };
layout(push_constant) uniform P { uint n, first; };
shared float pivot[16][16], tile[16][16];
void main() {
    uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y, next = first + 16u * (gl_WorkGroupID.x + 1u);
    bool row = gl_WorkGroupID.y == 0u;
    uint at = row ? (first + y) * n + next + x : (next + y) * n + first + x;
    pivot[y][x] = m[(first + y) * n + first + x];
    tile[y][x] = m[at];
    barrier();
    if (row) {
        for (uint i = 0u; i < 15u; i++) {
            if (y > i) {
                tile[y][x] -= pivot[y][i] * tile[i][x];
            }
            barrier();
        }
    } else {
        for (uint i = 0u; i < 16u; i++) {
            if (x == i) {
                tile[y][i] /= pivot[i][i];
            }
            barrier();
            if (x > i) {
                tile[y][x] -= tile[y][i] * pivot[i][x];
            }
            barrier();
        }
    }
    m[at] = tile[y][x];
}
