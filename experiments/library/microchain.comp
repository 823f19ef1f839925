#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

// The lane that has a start follows pointers. It reads no clock, so that every device runs it: two runs of different lengths give the time of
// a load.
layout(local_size_x = 32) in;

layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Element { uint64_t next; };
layout(set = 0, binding = 0) readonly buffer Starts { uint64_t starts[32]; };
layout(set = 0, binding = 1) writeonly buffer Result { uint64_t last; }; // bytes from the first element
layout(push_constant) uniform Push { uint64_t first; uint loads; }; // a multiple of 32
#define NEXT p = Element(p).next;
#define NEXT8 NEXT NEXT NEXT NEXT NEXT NEXT NEXT NEXT

void main() {
    uint64_t p = starts[gl_LocalInvocationIndex];
    if (p == 0) { // of one lane is not 0, and no compiler knows of which, so that the loads stay those of a vector
        return;
    }
    for (uint i = 0; i < loads; i += 32) {
        NEXT8 NEXT8 NEXT8 NEXT8
    }
    last = p - first;
}
