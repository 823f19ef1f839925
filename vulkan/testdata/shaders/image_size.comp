#version 450
// The sizes of a level of two images: the level is known when the shader runs.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) uniform sampler2D flat_image;
layout(set = 0, binding = 1) uniform sampler2DArray layers;
layout(set = 0, binding = 2) writeonly buffer Out { ivec4 found[]; };
layout(push_constant) uniform Push { int level; };
void main() {
    found[2 * level] = ivec4(textureSize(flat_image, level), 0, 0);
    found[2 * level + 1] = ivec4(textureSize(layers, level), 0);
}
