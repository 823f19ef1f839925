#version 450
layout(local_size_x = 8, local_size_y = 4) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2D counts;
layout(set = 0, binding = 1, rgba32f) uniform readonly image2D source;
layout(set = 0, binding = 2, rgba32f) uniform writeonly image2D target;
layout(set = 0, binding = 3) uniform usamplerBuffer texels;
layout(set = 0, binding = 4, r32i) uniform iimageBuffer line;
layout(set = 0, binding = 5) buffer Out { uint result[]; };
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    ivec2 size = imageSize(source);
    vec4 c = imageLoad(source, size - 1 - at);
    imageStore(target, at, c.wzyx + vec4(at, 0, 0));
    uint old = imageAtomicAdd(counts, ivec2(at.x % 4, 0), 1u);
    imageStore(line, at.x, ivec4(imageLoad(line, at.x).x + int(texelFetch(texels, at.x).y)));
    result[at.y * 8 + at.x] = uint(size.x * 100 + size.y) + uint(textureSize(texels)) * 10000 + (old < 8 ? 1000000 : 0);
}
