#version 450

// Transposes n x n floats by tiles of 32 x 32 through LDS, n a multiple of 32. The layout of the tile in LDS is a matter of
// two specialization constants: a plain tile has PITCH 32 and SWIZZLE 0 (a column lies in one bank), a padded one PITCH 33, a
// swizzled one PITCH 32 and SWIZZLE 31 (each row is permuted by the exclusive or of its number).
layout(local_size_x = 32, local_size_y = 8) in;

layout(constant_id = 0) const uint PITCH = 32;
layout(constant_id = 1) const uint SWIZZLE = 0;

layout(set = 0, binding = 0) readonly buffer Source { float source[]; };
layout(set = 0, binding = 1) writeonly buffer Target { float target[]; };
layout(push_constant) uniform Push { uint n; };

shared float tile[32 * PITCH];

uint place(uint row, uint column) {
    return row * PITCH + (column ^ (row & SWIZZLE));
}

void main() {
    uint x = gl_LocalInvocationID.x;
    uint y = gl_LocalInvocationID.y;
    uvec2 corner = gl_WorkGroupID.xy * 32;

    for (uint i = y; i < 32; i += 8) {
        tile[place(i, x)] = source[(corner.y + i) * n + corner.x + x];
    }
    barrier();
    for (uint i = y; i < 32; i += 8) {
        target[(corner.x + i) * n + corner.y + x] = tile[place(x, i)];
    }
}
