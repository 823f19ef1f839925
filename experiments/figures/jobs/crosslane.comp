#version 450
#extension GL_AMD_shader_ballot : require
#extension GL_ARB_shader_clock : require
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require

// One wave does COUNT cross-lane operations, each with the result of the one before and an addition between them, and keeps the
// cycles that they took. The operation's own result for lane numbers is compared with what it must be.
layout(local_size_x_id = 2) in;

layout(constant_id = 0) const uint OPERATION = 0;
layout(constant_id = 1) const uint COUNT = 8; // 8 or 16
layout(constant_id = 2) const uint LANES = 32;

layout(set = 0, binding = 0) buffer Cycles { uint cycles; };
layout(set = 0, binding = 1) buffer Sums { uint sums[64]; };
layout(set = 0, binding = 2) buffer Wrong { uint wrong[64]; };

uint lane;

uint operation(uint v) {
    switch (OPERATION) {
    case 1: return subgroupAdd(v);
    case 2: return subgroupInclusiveAdd(v);
    case 3: return subgroupExclusiveAdd(v);
    case 4: return swizzleInvocationsAMD(v, uvec4(1, 0, 3, 2));
    case 5: return swizzleInvocationsMaskedAMD(v, uvec3(0x1f, 0, 0x10));
    case 6: return subgroupShuffle(v, lane ^ 5);
    }
    return v;
}

uint expected() {
    switch (OPERATION) {
    case 1: return LANES * (LANES - 1) / 2;
    case 2: return lane * (lane + 1) / 2;
    case 3: return lane * (lane - 1) / 2;
    case 4: return lane ^ 1;
    case 5: return lane ^ 16;
    case 6: return lane ^ 5;
    }
    return lane;
}

#define TWICE v = operation(v + lane); v = operation(v + lane);

void main() {
    lane = gl_LocalInvocationID.x;
    wrong[lane] = uint(operation(lane) != expected());
    uint v = lane;
    uvec2 before = clock2x32ARB();
    TWICE TWICE TWICE TWICE
    if (COUNT == 16) {
        TWICE TWICE TWICE TWICE
    }
    uvec2 after = clock2x32ARB();
    sums[lane] = v;
    if (lane == 0) {
        cycles = after.x - before.x;
    }
}
