#version 450
#extension GL_EXT_shader_image_load_formatted : require
// Reads the same texel in every way: sampled, fetched, from a buffer and from a storage image; and stores it in another.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) uniform sampler2D sampled;
layout(set = 0, binding = 1) uniform samplerBuffer texels;
layout(set = 0, binding = 2) readonly uniform image2D from;
layout(set = 0, binding = 3) writeonly uniform image2D to;
layout(set = 0, binding = 4) writeonly buffer Out { vec4 found[]; };
void main() {
    found[0] = textureLod(sampled, vec2(0.75, 0.25), 0.0);
    found[1] = texelFetch(sampled, ivec2(1, 0), 0);
    found[2] = texelFetch(texels, 1);
    found[3] = imageLoad(from, ivec2(1, 0));
    found[4] = textureLod(sampled, vec2(0.5, 0.25), 0.0);
    imageStore(to, ivec2(1, 0), found[3]);
}
