#version 450

// A nine-point stencil over width x height floats; beyond the edge the nearest point counts. A workgroup keeps its tile of
// 16 x 16 and a halo of one point in LDS.
layout(local_size_x = 16, local_size_y = 16) in;

layout(constant_id = 0) const float CENTRE = 0.25;
layout(constant_id = 1) const float SIDE = 0.125;
layout(constant_id = 2) const float CORNER = 0.0625;

layout(set = 0, binding = 0) readonly buffer Source { float source[]; };
layout(set = 0, binding = 1) writeonly buffer Target { float target[]; };
layout(push_constant) uniform Push { int width; int height; };

shared float tile[18][18];

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    ivec2 corner = ivec2(gl_WorkGroupID.xy) * 16 - 1;
    for (uint i = gl_LocalInvocationIndex; i < 18 * 18; i += 256) {
        uint ty = i / 18;
        uint tx = i % 18;
        ivec2 p = clamp(corner + ivec2(tx, ty), ivec2(0), ivec2(width - 1, height - 1));
        tile[ty][tx] = source[p.y * width + p.x];
    }
    barrier();
    if (at.x >= width || at.y >= height) {
        return;
    }

    uint x = gl_LocalInvocationID.x + 1;
    uint y = gl_LocalInvocationID.y + 1;
    float sides = tile[y][x - 1] + tile[y][x + 1] + tile[y - 1][x] + tile[y + 1][x];
    float corners = tile[y - 1][x - 1] + tile[y - 1][x + 1] + tile[y + 1][x - 1] + tile[y + 1][x + 1];
    target[at.y * width + at.x] = CENTRE * tile[y][x] + SIDE * sides + CORNER * corners;
}
