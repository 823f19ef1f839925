#version 450
#extension GL_AMD_shader_ballot : require
#extension GL_ARB_shader_ballot : require
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_KHR_shader_subgroup_basic : require

// Keeps the odd numbers of each block of 256, in order: a ballot says who keeps one, mbcnt how many stand before it.
layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 1) writeonly buffer Kept { uint kept[]; };
layout(set = 0, binding = 2) writeonly buffer Counts { uint counts[]; };

shared uint found[16];

void main() {
    uint x = source[gl_GlobalInvocationID.x];
    bool keep = (x & 1) != 0;
    uint64_t mask = ballotARB(keep);
    uvec2 words = unpackUint2x32(mask);
    found[gl_SubgroupID] = uint(bitCount(words.x) + bitCount(words.y));
    barrier();
    uint before = 0;
    uint all = 0;
    for (uint i = 0; i < gl_NumSubgroups; i++) {
        before += i < gl_SubgroupID ? found[i] : 0;
        all += found[i];
    }
    if (keep) {
        kept[gl_WorkGroupID.x * 256 + before + mbcntAMD(mask)] = x;
    }
    if (gl_LocalInvocationIndex == 0) {
        counts[gl_WorkGroupID.x] = all;
    }
}
