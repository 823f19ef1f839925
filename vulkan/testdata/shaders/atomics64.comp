#version 450
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer A { uint64_t a[4]; int64_t least; };
shared uint64_t together;
void main() {
    uint64_t i = uint64_t(gl_GlobalInvocationID.x) << 33;
    if (gl_LocalInvocationIndex == 0) {
        together = 0;
    }
    barrier();
    atomicAdd(together, i);
    atomicMax(a[1], i);
    atomicOr(a[2], 1ul << gl_LocalInvocationIndex);
    atomicMin(least, -int64_t(i));
    barrier();
    if (gl_LocalInvocationIndex == 0) {
        atomicAdd(a[0], together);
        for (;;) {
            uint64_t old = a[3];
            if (atomicCompSwap(a[3], old, old + 1ul) == old) {
                break;
            }
        }
    }
}
