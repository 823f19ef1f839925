#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : enable
#extension GL_EXT_shader_16bit_storage : enable
#extension GL_EXT_shader_8bit_storage : enable
#extension GL_EXT_shader_atomic_int64 : enable
layout(constant_id = 3) const int size = 8;
layout(constant_id = 4) const double factor = 1e-310;
layout(local_size_x_id = 7, local_size_y = 2) in;
struct Item { int8_t a; uint16_t b; float16_t c; int64_t d; double e; mat3 m; };
layout(std430, set = 1, binding = 2) buffer Items { Item items[]; };
layout(r32ui, binding = 3) uniform coherent uimage2D image;
layout(binding = 4, rgba8) uniform readonly imageBuffer texels;

void main() {
    uint i = gl_GlobalInvocationID.x;
    items[i].a = int8_t(-7);
    items[i].b = uint16_t(65535);
    items[i].c = float16_t(0.333) * items[i + size].c;
    items[i].d = -0x7000000000000001L + int64_t(i);
    items[i].e = factor * 0.1lf;
    items[i].m = transpose(items[i].m) * float(size + 2);
    switch (int(items[i].d)) { case -5: items[i].a = int8_t(1); break; case 0x7fffffff: items[i].b = uint16_t(2); }
    imageAtomicAdd(image, ivec2(i, 0), uint(imageLoad(texels, int(i)).x));
    memoryBarrierImage();
}
