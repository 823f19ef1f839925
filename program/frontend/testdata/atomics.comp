#version 450
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Out {
    uint add; uint umin; uint umax; int smin; int smax; uint a; uint o; uint x; uint ex; uint cas; uint64_t wide; float f; uint shared_sum; uint loaded;
} r;
shared uint total;
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (gl_LocalInvocationIndex == 0) total = 0;
    barrier();
    atomicAdd(total, i);
    atomicAdd(r.add, i);
    atomicMin(r.umin, i + 5);
    atomicMax(r.umax, i + 5);
    atomicMin(r.smin, -int(i));
    atomicMax(r.smax, int(i) - 200);
    atomicAnd(r.a, ~(1u << (i & 15)));
    atomicOr(r.o, 1u << (i & 15));
    atomicXor(r.x, i);
    atomicExchange(r.ex, 42u);
    uint old;
    do { old = atomicLoad(r.cas, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire); }
    while (atomicCompSwap(r.cas, old, old + 3) != old);
    atomicAdd(r.wide, uint64_t(i) << 33);
    atomicAdd(r.f, 0.5);
    barrier();
    if (gl_LocalInvocationIndex == 0) {
        atomicAdd(r.shared_sum, total);
        atomicStore(r.loaded, 7u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
    }
}
