#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

// The grid reads or writes a footprint, 16 bytes a lane. In each pass the workgroups have other parts of it. caps-tum/mt4g does so, with a
// remainder of 64-bit numbers in each pass. What clang 19 makes of its kernel for gfx942 is the model of the instructions here.
layout(local_size_x_id = 0) in;

layout(constant_id = 1) const bool stores = false;

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Vector { uvec4 words; };
layout(set = 0, binding = 0) writeonly buffer Result { uvec4 result; };
layout(push_constant) uniform Push { uint64_t data; uint64_t vectors; uint64_t passes; uint never; }; // vectors of 16 bytes

uint remainder(uint number, uint divisor) {
    uint reciprocal = uint(1.0 / float(divisor) * 4294966784.0), quotient, error, low; // 2^32 / divisor or a little less
    umulExtended(-divisor * reciprocal, reciprocal, error, low);
    umulExtended(number, reciprocal + error, quotient, low);
    number -= quotient * divisor;
    number = number >= divisor ? number - divisor : number;
    return number >= divisor ? number - divisor : number;
}

// mt4g does not wait for its loads: they are inline assembly, of which no compiler knows. So none here goes to a register that one of the
// last eight does, and what is added up is where they are.
#define MOVE(read)                          \
    if (i >= vectors) {                     \
        break;                              \
    }                                       \
    if (stores) {                           \
        Vector(data + 16 * i).words = sum;  \
    } else {                                \
        uint64_t offset = 16 * i;           \
        read = Vector(data + offset).words; \
        sum.x = unpackUint2x32(offset).x;   \
    }                                       \
    i += stride;

// A loop of mt4g has one move, whose branch back is taken. Between moves here a branch is taken over a store that never runs.
#define BACK              \
    if (unreachable) {    \
        result = sum;     \
    }

// LLVM tests at run time whether 32 bits do, and computes their reciprocal in each pass: adding the sign of j keeps it there.
#define PASS(a, b, c, d)                                                             \
    {                                                                                \
        uint64_t i = (gl_WorkGroupID.x + j) * lanes + gl_LocalInvocationIndex;       \
        uvec2 halves = unpackUint2x32(i);                                            \
        if (halves.y != 0) {                                                         \
            i %= stride;                                                             \
        } else {                                                                     \
            i = packUint2x32(uvec2(remainder(halves.x, stride + uint(j >> 63)), 0)); \
        }                                                                            \
        for (;;) {                                                                   \
            MOVE(a) BACK MOVE(b) BACK MOVE(c) BACK MOVE(d)                           \
        }                                                                            \
        j++;                                                                         \
    }

void main() {
    uint lanes = gl_WorkGroupSize.x, stride = gl_NumWorkGroups.x * lanes;
    bool unreachable = passes > 0x7ffffffffffffffful;
    uvec4 sum = uvec4(gl_GlobalInvocationID.x), a = sum, b = sum, c = sum, d = sum, e = sum, f = sum, g = sum, h = sum;
    for (uint64_t j = 0; j != passes;) {
        PASS(a, b, c, d)
        if (j == passes) {
            break;
        }
        PASS(e, f, g, h)
    }
    sum ^= a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
    if (!stores && (sum.x ^ sum.y ^ sum.z ^ sum.w) == never) {
        result = sum;
    }
}
