#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_AMD_gcn_shader : require
#extension GL_ARB_gpu_shader_int64 : require

// The lane that has a start follows pointers; the clock is read each 256 loads, as it may have as few as 20 bits.
layout(local_size_x = 32) in;

layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Element { uint64_t next; };
layout(set = 0, binding = 0) readonly buffer Starts { uint64_t starts[32]; };
layout(set = 0, binding = 1) writeonly buffer Result { uint64_t last; uint cycles; };
#define NEXT p = Element(p).next;
#define NEXT8 NEXT NEXT NEXT NEXT NEXT NEXT NEXT NEXT
#define NEXT32 NEXT8 NEXT8 NEXT8 NEXT8 // so that jumps back cost next to nothing

layout(push_constant) uniform Push { uint before; uint rounds; }; // loads that bring the caches into their state; rounds of 256 that are timed

void main() {
    uint64_t p = starts[gl_LocalInvocationIndex];
    if (p == 0) { // of one lane is not 0, and no compiler knows of which, so that the loads stay those of a vector
        return;
    }
    for (uint i = 0; i < before; i += 32) {
        NEXT32
    }
    uint sum = 0;
    for (uint r = 0; r < rounds; r++) {
        uint64_t begin = timeAMD();
        for (uint i = 0; i < 256; i += 32) {
            NEXT32
        }
        sum += uint(timeAMD() - begin) & 0xFFFFFu;
    }
    last = p;
    cycles = sum;
}
