#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
#extension GL_EXT_shader_image_int64 : require
// Atomics on texels of 32-bit floats and of 64-bit integers: images and a texel buffer.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, r32f) uniform image2D floats;
layout(set = 0, binding = 1, r64ui) uniform u64image2D wide;
layout(set = 0, binding = 2, r64i) uniform i64imageBuffer texels;
void main() {
    int i = int(gl_LocalInvocationIndex);
    imageAtomicAdd(floats, ivec2(0, 0), float(i));
    imageAtomicMin(floats, ivec2(1, 0), float(-i));
    imageAtomicMax(floats, ivec2(0, 1), float(i) * 0.5);
    if (i == 7)
        imageAtomicExchange(floats, ivec2(1, 1), 1.25);
    imageAtomicAdd(wide, ivec2(0, 0), uint64_t(i) << 33);
    imageAtomicMax(wide, ivec2(1, 0), uint64_t(i) << 40);
    imageAtomicOr(wide, ivec2(0, 1), uint64_t(1) << i);
    imageAtomicCompSwap(wide, ivec2(1, 1), uint64_t(0), uint64_t(77));
    imageAtomicMin(texels, 1, -(int64_t(i) << 34));
}
