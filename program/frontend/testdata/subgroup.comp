#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Out { uint result[]; };
uint n = 0;
void put(uint v) { result[gl_LocalInvocationIndex * 32 + n] = v; n++; }
void main() {
    uint l = gl_SubgroupInvocationID;
    put(subgroupAdd(l + 1));
    put(subgroupInclusiveAdd(l));
    put(subgroupExclusiveMax(l ^ 5));
    put(subgroupClusteredAdd(l, 4));
    put(subgroupBallotBitCount(subgroupBallot((l % 3) == 0)));
    put(subgroupBallotExclusiveBitCount(subgroupBallot((l % 3) == 0)));
    put(subgroupBallotInclusiveBitCount(subgroupBallot((l % 3) == 0)));
    put(subgroupBallotFindLSB(subgroupBallot(l > 20)));
    put(subgroupBallotFindMSB(subgroupBallot(l < 20)));
    put(uint(subgroupInverseBallot(uvec4(0x5u, 0, 0, 0))));
    put(uint(subgroupBallotBitExtract(uvec4(0xf0u, 0, 0, 0), l)));
    put(subgroupBroadcast(l * 7, 3));
    put(subgroupBroadcastFirst(l + 9));
    put(subgroupShuffle(l, l ^ 3));
    put(subgroupShuffleXor(l, 8));
    put(subgroupShuffleUp(l, 2));
    put(subgroupShuffleDown(l, 2));
    put(subgroupQuadBroadcast(l, 2));
    put(subgroupQuadSwapHorizontal(l));
    put(subgroupQuadSwapVertical(l));
    put(subgroupQuadSwapDiagonal(l));
    put(uint(subgroupAll(l < 64)) + 2 * uint(subgroupAny(l == 5)) + 4 * uint(subgroupAllEqual(l)));
    put(uint(subgroupElect()));
    put(gl_SubgroupLtMask.x + gl_SubgroupEqMask.x * 2);
    put(gl_SubgroupSize + 1000 * gl_SubgroupID + 100000 * gl_NumSubgroups);
    if ((l & 1) != 0) put(subgroupAdd(l)); else put(subgroupMin(l));
    put(uint(subgroupAnd(l > 2) ? 1 : 0) + (subgroupXor(l == 2) ? 2 : 0));
    put(floatBitsToUint(subgroupMul(l == 0 ? 3.0 : 1.0)));
    put(gl_SubgroupGeMask.x ^ gl_SubgroupLeMask.x);
}
