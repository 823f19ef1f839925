#version 450
#extension GL_AMD_shader_ballot : require
#extension GL_ARB_shader_ballot : require
#extension GL_ARB_gpu_shader_int64 : require

// Every operation between lanes of GL_AMD_shader_ballot that is no reduction, on scalars and vectors of 32 bits.
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) readonly buffer Input { uint source[]; };
layout(set = 0, binding = 1) writeonly buffer Output { uint result[]; };

uint row = 0;

void put(uint v) { result[row++ * 128 + gl_LocalInvocationIndex] = v; }

void main() {
    uint x = source[gl_LocalInvocationIndex];
    put(swizzleInvocationsAMD(x, uvec4(1, 0, 3, 2)));
    put(swizzleInvocationsAMD(x, uvec4(3, 3, 0, 2)));
    vec2 v = swizzleInvocationsAMD(vec2(x, x + 1), uvec4(2, 3, 0, 1));
    put(floatBitsToUint(v.y));
    put(swizzleInvocationsMaskedAMD(x, uvec3(31, 0, 1)));
    put(swizzleInvocationsMaskedAMD(x, uvec3(31, 0, 7)));
    put(swizzleInvocationsMaskedAMD(x, uvec3(31, 0, 15)));
    put(swizzleInvocationsMaskedAMD(x, uvec3(24, 5, 2)));
    put(swizzleInvocationsMaskedAMD(x, uvec3(31, 0, 16)));
    put(swizzleInvocationsMaskedAMD(x, uvec3(21, 9, 13)));
    put(swizzleInvocationsMaskedAMD(x, uvec3(0, 17, 0)));
    put(writeInvocationAMD(x, source[3], 5u));
    put(mbcntAMD(ballotARB((x & 1) == 0)));
    put(mbcntAMD(0xF0F0F0F0F0F0F0F0UL));
    put(addInvocationsNonUniformAMD(x));
    put(minInvocationsInclusiveScanNonUniformAMD(x));
    put(maxInvocationsExclusiveScanNonUniformAMD(x));
}
