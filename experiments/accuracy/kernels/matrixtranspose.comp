#version 450

// Transposes n x n floats, n a multiple of 64: each invocation moves a block of 4 x 4 as four vec4 through 16 KB of LDS. Workgroups
// go down diagonals, (x + y) mod the blocks of a row, so that those running at once write to different channels.
layout(local_size_x = 16, local_size_y = 16) in;

layout(set = 0, binding = 0) readonly buffer Source { vec4 source[]; };
layout(set = 0, binding = 1) writeonly buffer Target { vec4 target[]; };
layout(push_constant) uniform Push { uint n; };

shared vec4 tile[64 * 16];

void main() {
    uint x = gl_LocalInvocationID.x;
    uint y = gl_LocalInvocationID.y;
    uint blockX = (gl_WorkGroupID.x + gl_WorkGroupID.y) % gl_NumWorkGroups.x;
    uint blockY = gl_WorkGroupID.y;
    uint pitch = n / 4;

    uint from = (blockY * 64 + y * 4) * pitch + blockX * 16 + x;
    uint in4 = y * 64 + x;
    tile[in4] = source[from];
    tile[in4 + 16] = source[from + pitch];
    tile[in4 + 32] = source[from + 2 * pitch];
    tile[in4 + 48] = source[from + 3 * pitch];
    barrier();

    uint out4 = x * 64 + y;
    vec4 v0 = tile[out4];
    vec4 v1 = tile[out4 + 16];
    vec4 v2 = tile[out4 + 32];
    vec4 v3 = tile[out4 + 48];
    uint to = (blockX * 64 + y * 4) * pitch + blockY * 16 + x;
    target[to] = vec4(v0.x, v1.x, v2.x, v3.x);
    target[to + pitch] = vec4(v0.y, v1.y, v2.y, v3.y);
    target[to + 2 * pitch] = vec4(v0.z, v1.z, v2.z, v3.z);
    target[to + 3 * pitch] = vec4(v0.w, v1.w, v2.w, v3.w);
}
