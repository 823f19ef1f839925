#version 450
// The depths of two texels, and whether references below and above the second one's pass.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) uniform sampler2D plain;
layout(set = 0, binding = 1) uniform sampler2DShadow compared;
layout(set = 0, binding = 2) writeonly buffer Out { float found[]; };
void main() {
    float depth = textureLod(plain, vec2(0.75, 0.5), 0.0).x;
    found[0] = depth;
    found[1] = texelFetch(plain, ivec2(0, 0), 0).x;
    found[2] = textureLod(compared, vec3(0.75, 0.5, depth - 0.1), 0.0);
    found[3] = textureLod(compared, vec3(0.75, 0.5, depth + 0.1), 0.0);
}
