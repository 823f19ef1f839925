#version 450
// The LU factors of the tile at (first, first), in place.
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) buffer M { float m[]; };
layout(push_constant) uniform P { uint n, first; };
shared float tile[16][16];
void main() {
    uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y, at = (first + y) * n + first + x;
    tile[y][x] = m[at];
    barrier();
    for (uint i = 0u; i < 15u; i++) {
        if (y > i && x == i) {
            tile[y][i] /= tile[i][i];
        }
        barrier();
        if (y > i && x > i) {
            tile[y][x] -= tile[y][i] * tile[i][x];
        }
        barrier();
    }
    m[at] = tile[y][x];
}
