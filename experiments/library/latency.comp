#version 450
#extension GL_AMD_gcn_shader : require
#extension GL_AMD_shader_ballot : require
#extension GL_ARB_shader_ballot : require
#extension GL_ARB_gpu_shader_int64 : require

// Measures how long instructions take, by the clock: chains of 16 and of 32 steps that wait for one another, the shorter one's
// time taken from the longer one's, so that what stands around them falls out. The second round is the one that counts, as
// the first fetches the code.
layout(local_size_x = 32) in;

layout(set = 0, binding = 0) readonly buffer Source { uint source[32]; };
layout(set = 0, binding = 1) writeonly buffer Cycles { uint cycles[17]; };
layout(set = 0, binding = 2) writeonly buffer Sink { uint sink[32]; };
layout(push_constant) uniform Push { uint rounds; uint key; uint step; };

shared uint chase[32];

#define R4(s) s s s s
#define R16(s) R4(R4(s))

// Steps in the chains differ by 16. The clock may have as few as 20 bits.
#define MEASURE(slot, s) { R4(s) uint64_t t0 = timeAMD(); R16(s) uint64_t t1 = timeAMD(); R16(s) R16(s) uint64_t t2 = timeAMD(); \
    took[slot] = (uint((t2 - t1) - (t1 - t0)) & 0xFFFFF) / 16; }

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint x = source[lane], y = x | 1, z = x ^ 5;
    float f = float(x) + 2.0, g = f * 0.5, h = g + 1.0, c = f;
    uint at = lane;
    int n = int(x);
    uint64_t q = x, r = y * 3, t = z;
    double d = f, e = g;
    uint u = key;
    uint took[18];
    chase[lane] = (lane + 1) % 32;
    barrier();
    for (uint round = 0; round < rounds; round++) {
        MEASURE(0, x ^= y; x -= z;)
        MEASURE(1, f = fma(f, h, h);)
        MEASURE(2, c = float(n); n = int(c);)
        MEASURE(3, g = inversesqrt(g);)
        MEASURE(4, x *= y;)
        MEASURE(5, q <<= u;)
        MEASURE(6, q -= r; q ^= t;)
        MEASURE(7, d += e;)
        MEASURE(8, d *= e;)
        MEASURE(9, x = swizzleInvocationsAMD(x, uvec4(1, 0, 3, 2));)
        MEASURE(10, x = swizzleInvocationsMaskedAMD(x, uvec3(31, 0, 16));)
        MEASURE(11, x = swizzleInvocationsMaskedAMD(x, uvec3(13, 17, 2));)
        MEASURE(12, x = writeInvocationAMD(x, 5, 3);)
        MEASURE(13, x = readFirstInvocationARB(x) - lane;)
        MEASURE(14, at = chase[at];)
        MEASURE(15, u ^= step; u -= rounds;)
        MEASURE(16, timeAMD();)
        MEASURE(17, e = inversesqrt(e);)
    }
    if (lane == 0) {
        for (uint i = 0; i < 18; i++) {
            cycles[i] = took[i];
        }
    }
    sink[lane] = x + at + uint(c) + uint(f) + uint(n) + uint(g) + uint(q) + uint(d) + uint(e) + u;
}
