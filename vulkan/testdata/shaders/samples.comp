#version 450
// Samples of texels: those of one image are read, and written to another with a number added.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) uniform sampler2DMS cleared;
layout(set = 0, binding = 1, r32f) uniform writeonly image2DMS stored;
layout(set = 0, binding = 2, r32f) uniform readonly image2DMS loaded;
layout(set = 0, binding = 3) buffer Out { vec4 found[]; };
layout(push_constant) uniform Turn { int turn; };
void main() {
    int i = int(gl_LocalInvocationIndex);
    if (turn == 0) {
        found[i] = texelFetch(cleared, ivec2(1, 1), i);
        imageStore(stored, ivec2(0, 1), i, vec4(10 + i));
    } else {
        found[4 + i] = vec4(imageLoad(loaded, ivec2(0, 1), i).x, imageLoad(loaded, ivec2(0, 0), i).x, imageSamples(loaded), textureSamples(cleared));
    }
}
