#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_basic : require

// Sums n floats in one launch: each invocation sums in steps of the grid, the subgroup reduces,
// LDS joins the subgroups, and the workgroup that finishes last adds up the partial sums.
layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly buffer Input { float data[]; } src;
layout(set = 0, binding = 1) writeonly buffer Output { float sum; } dst;
layout(set = 0, binding = 2) coherent buffer Partial { uint finished; float sums[]; } partial;
layout(push_constant) uniform Push { uint n; } push;

shared float lanes[256];
shared bool last;

float workgroupAdd(float value) {
    value = subgroupAdd(value);
    if (subgroupElect()) {
        lanes[gl_SubgroupID] = value;
    }
    barrier();
    float total = 0.0;
    for (uint i = gl_SubgroupInvocationID; i < gl_NumSubgroups; i += gl_SubgroupSize) {
        total += lanes[i];
    }
    return subgroupAdd(total);
}

void main() {
    uint stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    float mine = 0.0;
    for (uint i = gl_GlobalInvocationID.x; i < push.n; i += stride) {
        mine += src.data[i];
    }
    float sum = workgroupAdd(mine);

    if (gl_LocalInvocationID.x == 0) {
        partial.sums[gl_WorkGroupID.x] = sum;
        memoryBarrierBuffer();
        last = atomicAdd(partial.finished, 1u) == gl_NumWorkGroups.x - 1u;
        memoryBarrierBuffer();
    }
    barrier();
    if (!last) {
        return;
    }

    mine = 0.0;
    for (uint i = gl_LocalInvocationID.x; i < gl_NumWorkGroups.x; i += gl_WorkGroupSize.x) {
        mine += partial.sums[i];
    }
    sum = workgroupAdd(mine);
    if (gl_LocalInvocationID.x == 0) {
        dst.sum = sum;
    }
}
