#version 450
// Samples a row of places of an image, at a level, and fetches a texel.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) uniform sampler2D image;
layout(set = 0, binding = 1) readonly buffer Places { vec4 places[]; };
layout(set = 0, binding = 2) writeonly buffer Out { vec4 found[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    found[2 * i] = textureLod(image, places[i].xy, places[i].z);
    found[2 * i + 1] = texelFetch(image, ivec2(i % 4, 1), int(places[i].z)) + vec4(places[i].z >= 1.0 ? textureSize(image, 1) : textureSize(image, 0), 0, 0);
}
