#version 450
#extension GL_AMD_gcn_shader : require
#extension GL_AMD_shader_ballot : require
#extension GL_ARB_shader_ballot : require
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_debug_printf : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_spirv_intrinsics : require

spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6019, 6018], id = 4451)
uint dot4(uint a, uint b, spirv_literal int format);

// Each instruction class at least twice, in a chain that waits for it.
layout(local_size_x = 32) in;

layout(set = 0, binding = 0) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 1) buffer Sink { uint sink[]; };
layout(set = 0, binding = 2, r32ui) uniform uimage2D picture;
layout(push_constant) uniform Push { uint rounds; uint key; };

shared uint words[32];

void main() {
    uint lane = gl_LocalInvocationIndex, u = key;
    uint x = sink[lane] + lane, y = x | 1;
    float f = float(x) + 2.0, g = f * 0.5, p = f, q = g;
    f16vec2 h = f16vec2(float16_t(f), float16_t(g));
    uint64_t l = x;
    double d = f;
    uint own[80]; own[0] = x; own[1] = y; own[2] = u; own[3] = lane; // more words than the compiler keeps in registers
    words[lane] = lane;
    for (uint round = 0; round < rounds; round++) {
        u += source[u & 3];                                         // smem, salu
        x ^= y + u;                                                 // valu32
        h = h * h + h;                                              // packed16
        p = p * g + p; q = q * f + q;                               // fma32
        p = p * p; q = q + q;                                       // dual
        vec2 v = vec2(p, q); v = v * v + v; p = v.x; q = v.y;       // packed32
        x = dot4(x, y, 0); x += dot4(x, y, 0);                      // dot
        f = fma(f, g, g);
        g = float(int(g));                                          // cvt
        f = inversesqrt(f);                                         // trans
        x *= y;                                                     // imul32
        l = (l << (u & 7)) - y;                                     // shift64, int64
        d = d * d + 1.0LF;                                          // f64mul
        d += double(g);                                             // f64add
        d = inversesqrt(d);                                         // f64trans
        x = swizzleInvocationsAMD(x, uvec4(1, 0, 3, 2));            // dpp
        x = swizzleInvocationsMaskedAMD(x, uvec3(31, 0, 16));       // permlane
        x = swizzleInvocationsMaskedAMD(x, uvec3(13, 17, 2));       // lds_swizzle
        x = writeInvocationAMD(x, 5, 3);                            // writelane
        y += readFirstInvocationARB(x);                             // readlane
        x += words[x & 31];                                         // lds
        own[y & 3] += x;                                            // scratch
        x += own[x & 3];
        x += imageLoad(picture, ivec2(x & 3, lane & 3)).x;          // image
        sink[lane + 32] = x;                                        // vmem_store
        memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease); // waitcnt
        x += sink[lane + 64 + (x & 1)];                             // vmem
        x += atomicAdd(sink[lane + 128], x);                        // vmem_atomic
        barrier();                                                  // barrier
        y ^= uint(timeAMD());                                       // clock
        if ((x & 1) != 0) y *= x;                                   // branch
        if (lane == 0) debugPrintfEXT("%u", x);       // message
    }
    sink[lane] = x + y + u + uint(f) + uint(g) + uint(p) + uint(q) + uint(h.x + h.y) + uint(l) + uint(d) + own[x & 3];
}
