#version 450
#extension GL_EXT_shared_memory_block : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require

// Splits pixels of four bytes into four planes of bytes: each byte is stored to LDS by itself, and words of four neighbours
// are read back, through two views of the same bytes.
layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly buffer Pixels { uint pixels[]; };
layout(set = 0, binding = 1) writeonly buffer Planes { uint planes[]; };

shared Bytes { uint8_t b[1024]; } bytes;
shared Words { uint w[256]; } words;

void main() {
    uint i = gl_LocalInvocationIndex;
    uint pixel = pixels[gl_GlobalInvocationID.x];
    for (uint k = 0; k < 4; k++) {
        bytes.b[k * 256 + i] = uint8_t(pixel >> (8 * k));
    }
    barrier();
    uint plane = i / 64;
    planes[plane * gl_NumWorkGroups.x * 64 + gl_WorkGroupID.x * 64 + i % 64] = words.w[i];
}
