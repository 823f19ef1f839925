#version 450

// How many steps each point of a width x height grid takes to escape, at most limit. Lanes of a wave leave the loop at
// different times. The arithmetic is precise: one multiply fused with an add more or less would change counts near the edge.
layout(local_size_x = 8, local_size_y = 8) in;

layout(set = 0, binding = 0) writeonly buffer Steps { uint steps[]; };
layout(push_constant) uniform Push { uint width; uint limit; vec2 corner; float pitch; };

void main() {
    precise vec2 c = corner + vec2(gl_GlobalInvocationID.xy) * pitch;
    precise vec2 z = vec2(0.0);
    uint n = 0;
    while (n < limit) {
        precise float xx = z.x * z.x;
        precise float yy = z.y * z.y;
        precise float size = xx + yy;
        if (size > 4.0) {
            break;
        }
        precise float xy = z.x * z.y;
        z = vec2(xx - yy + c.x, xy + xy + c.y);
        n++;
    }
    steps[gl_GlobalInvocationID.y * width + gl_GlobalInvocationID.x] = n;
}
