#version 450
layout(local_size_x = 32, local_size_y = 8) in;
layout(set = 0, binding = 0) readonly buffer Source { float source[]; };
layout(set = 0, binding = 1) writeonly buffer Target { float target[]; };
layout(constant_id = 0) const uint WIDTH = 32; // words from one row of the tile to the next
const uint N = 512;                            // rows and columns of the matrix
shared float tile[32 * WIDTH];

void main() {
    uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
    uvec2 from = gl_WorkGroupID.xy * 32;
    for (uint row = y; row < 32; row += 8) {
        tile[row * WIDTH + x] = source[(from.y + row) * N + from.x + x];
    }
    barrier();
    for (uint row = y; row < 32; row += 8) {
        target[(from.x + row) * N + from.y + x] = tile[x * WIDTH + row];
    }
}
