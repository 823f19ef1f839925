#version 450
#extension GL_AMD_shader_ballot : require

// All mip levels of a 64 x 64 image in one launch, as AMD's single-pass downsampler does it. A workgroup reduces a tile of
// 32 x 32: two levels below the first are moved by swizzles, as the invocations stand in Z order and four consecutive lanes
// are a square; then LDS. The workgroup that comes last reduces what all have left.
layout(local_size_x = 256) in;

layout(set = 0, binding = 0, r32f) uniform readonly image2D source;
layout(set = 0, binding = 1, r32f) uniform writeonly image2D mip[6];
layout(set = 0, binding = 2) coherent buffer Tiles { uint done; float tiles[4]; };

shared float corners[16];
shared bool last;

// The bits of v at even places, put together.
uint even(uint v) {
    v &= 0x55;
    v = (v | (v >> 1)) & 0x33;
    return (v | (v >> 2)) & 0x0F;
}

float load(ivec2 at) { return imageLoad(source, at).x; }

void main() {
    uint i = gl_LocalInvocationIndex;
    uvec2 at = uvec2(even(i), even(i >> 1)) + gl_WorkGroupID.xy * 16;
    ivec2 from = ivec2(at) * 2;
    float v = (load(from) + load(from + ivec2(1, 0)) + load(from + ivec2(0, 1)) + load(from + ivec2(1, 1))) * 0.25;
    imageStore(mip[0], ivec2(at), vec4(v));

    v += swizzleInvocationsAMD(v, uvec4(1, 0, 3, 2));
    v += swizzleInvocationsAMD(v, uvec4(2, 3, 0, 1));
    v *= 0.25;
    if (i % 4 == 0) {
        imageStore(mip[1], ivec2(at / 2), vec4(v));
    }

    v += swizzleInvocationsMaskedAMD(v, uvec3(31, 0, 4));
    v += swizzleInvocationsMaskedAMD(v, uvec3(31, 0, 8));
    v *= 0.25;
    if (i % 16 == 0) {
        imageStore(mip[2], ivec2(at / 4), vec4(v));
        corners[i / 16] = v;
    }
    barrier();

    if (i < 16) {
        v = corners[i];
        v += swizzleInvocationsAMD(v, uvec4(1, 0, 3, 2));
        v += swizzleInvocationsAMD(v, uvec4(2, 3, 0, 1));
        v *= 0.25;
        uvec2 corner = uvec2(even(i), even(i >> 1)) / 2 + gl_WorkGroupID.xy * 2;
        if (i % 4 == 0) {
            imageStore(mip[3], ivec2(corner), vec4(v));
        }
        v += swizzleInvocationsMaskedAMD(v, uvec3(31, 0, 4));
        v += swizzleInvocationsMaskedAMD(v, uvec3(31, 0, 8));
        v *= 0.25;
        if (i == 0) {
            imageStore(mip[4], ivec2(gl_WorkGroupID.xy), vec4(v));
            tiles[gl_WorkGroupID.y * 2 + gl_WorkGroupID.x] = v;
            memoryBarrierBuffer();
            last = atomicAdd(done, 1u) == 3;
        }
    }
    barrier();
    if (last && i == 0) {
        imageStore(mip[5], ivec2(0), vec4((tiles[0] + tiles[1] + tiles[2] + tiles[3]) * 0.25));
    }
}
