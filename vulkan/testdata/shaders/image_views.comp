#version 450
// Texels of two levels of an array, and the size of a level.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) uniform sampler2DArray image;
layout(set = 0, binding = 1) writeonly buffer Out { vec4 found[]; };
void main() {
    for (int layer = 0; layer < 2; layer++)
        for (int level = 0; level < 2; level++)
            found[2 * layer + level] = texelFetch(image, ivec3(1, 0, layer), level);
    found[4] = vec4(textureSize(image, 1), textureQueryLevels(image));
}
