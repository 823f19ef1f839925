#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer In { vec4 p[]; };
layout(binding = 1) writeonly buffer Out { vec4 o[]; };
layout(binding = 2) uniform sampler3D vol;
layout(binding = 3) uniform samplerCubeArray cubes;
layout(binding = 4) uniform sampler1D line;
layout(binding = 5) uniform texture2D plane[3];
layout(binding = 6) uniform sampler filters[2];
layout(binding = 7) uniform sampler2D combos[2];
layout(binding = 8) uniform sampler2DShadow shadow;
layout(binding = 9) uniform sampler2DArrayShadow shadows;
layout(binding = 10) uniform samplerCubeShadow around;
layout(binding = 11) uniform sampler2DMS ms;
layout(binding = 12, rgba32f) uniform image2DMS msi;
layout(binding = 13) uniform isampler2DMSArray msa;
layout(binding = 14) uniform sampler1DArray lines;
layout(binding = 15) uniform sampler smooth_;
layout(binding = 16) uniform sampler sharp;
layout(binding = 17, r32ui) uniform uimage2DMS counts;
layout(binding = 18, r32f) readonly uniform imageCubeArray sides;
const int N = 24;
const ivec2 apart[4] = ivec2[](ivec2(0, 0), ivec2(-4, 1), ivec2(2, 3), ivec2(7, -8));
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i % 3 == 1) return; // lanes that take no part
    vec4 q = p[i];
    ivec2 at = ivec2(i % 8, i / 8 % 4);
    uint first = i * N;
    o[first + 0] = textureLod(vol, q.xyz, q.w * 2);
    o[first + 1] = textureLod(cubes, vec4(q.xyz, float(i % 5) * 0.5 - 0.2), 0);
    o[first + 2] = textureLod(line, q.x, 0);
    o[first + 3] = textureLod(sampler2D(plane[nonuniformEXT(i / 2 % 3)], filters[nonuniformEXT(i % 2)]), q.xy, 0);
    o[first + 4] = textureLod(combos[nonuniformEXT(i / 5 % 2)], q.xy, 0.25);
    o[first + 5] = vec4(textureLod(shadow, q.xyw, 0), textureGrad(shadow, q.xyw, vec2(0.125, 0), vec2(0, 0.125)),
                        textureGrad(shadows, vec4(q.xy, float(i % 3), q.w), vec2(0), vec2(0)), textureProjLod(shadow, vec4(q.xyw * 2.0, 2.0), 0));
    o[first + 6] = textureGather(combos[0], q.xy, 2);
    o[first + 7] = textureGatherOffset(combos[0], q.xy, ivec2(-3, 2), 1);
    o[first + 8] = textureGatherOffsets(combos[0], q.xy, apart, 0);
    o[first + 9] = textureGather(shadow, q.xy, q.w);
    o[first + 10] = textureLodOffset(combos[1], q.xy, 1.0, ivec2(2, -1));
    o[first + 11] = texelFetchOffset(combos[1], at, 1, ivec2(0, -1) + ivec2(0, 1));
    o[first + 12] = texelFetch(ms, at, int(i % 4));
    o[first + 13] = vec4(textureSamples(ms), imageSamples(msi), textureQueryLevels(vol), textureSize(cubes, 0).z);
    o[first + 14] = imageLoad(msi, at, int(i % 2));
    imageStore(msi, at + ivec2(0, 4), int(i % 2), vec4(i));
    o[first + 15] = textureGatherOffset(combos[0], q.xy, ivec2(int(i % 5) - 2, int(i % 7) - 3), 3);
    o[first + 16] = vec4(texelFetch(msa, ivec3(at, i % 2), int(i % 4)));
    o[first + 17] = textureLodOffset(vol, q.xyz, 0, ivec3(-1, 2, 1));
    o[first + 18] = textureGrad(vol, q.xyz, vec3(0, 0, 0.5), vec3(0.125, 0, 0));
    o[first + 19] = textureLod(lines, vec2(q.y, float(i % 4)), 0);
    o[first + 20] = vec4(textureGather(shadows, vec3(q.xy, float(i % 3)), q.w));
    o[first + 21] = vec4(textureGrad(around, vec4(q.xyz, q.w), vec3(0), vec3(0)), texelFetchOffset(combos[1], at, 0, ivec2(1, 2)).xyz);
    o[first + 22] = textureLod(sampler2D(plane[0], smooth_), q.xy, 0) - textureLod(sampler2D(plane[0], sharp), q.xy, 0);
    o[first + 23] = vec4(imageLoad(sides, ivec3(at & 3, i % 12)).x, imageAtomicAdd(counts, at, int(i % 2), 1u) < 4u, imageSize(sides).z, imageSamples(counts));
}
