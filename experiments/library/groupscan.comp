#version 450
#extension GL_AMD_shader_ballot : require
#extension GL_KHR_shader_subgroup_basic : require

// Prefix sums and maxima of blocks of 256: subgroup operations of GL_AMD_shader_ballot, and LDS between the subgroups.
layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 1) writeonly buffer Sums { uint sums[]; };
layout(set = 0, binding = 2) writeonly buffer Most { uint most[]; };

shared uint subgroupSums[16];
shared uint subgroupMost[16];

void main() {
    uint x = source[gl_GlobalInvocationID.x];
    uint sum = addInvocationsInclusiveScanNonUniformAMD(x);
    uint top = maxInvocationsNonUniformAMD(x);
    if (gl_SubgroupInvocationID == gl_SubgroupSize - 1) {
        subgroupSums[gl_SubgroupID] = sum;
        subgroupMost[gl_SubgroupID] = top;
    }
    barrier();
    for (uint i = 0; i < gl_NumSubgroups; i++) {
        sum += i < gl_SubgroupID ? subgroupSums[i] : 0;
        top = max(top, subgroupMost[i]);
    }
    sums[gl_GlobalInvocationID.x] = sum;
    if (gl_LocalInvocationIndex == 0) {
        most[gl_WorkGroupID.x] = top;
    }
}
