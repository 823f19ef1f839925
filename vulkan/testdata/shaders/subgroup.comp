#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_quad : require
// A row of results for each invocation; WHICH picks the group of operations.
layout(local_size_x = 128) in;
layout(constant_id = 0) const uint WHICH = 0;
layout(set = 0, binding = 0) readonly buffer In { uint given[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uvec4 rows[]; };
void main() {
    uint i = gl_LocalInvocationIndex, v = given[i], me = gl_SubgroupInvocationID;
    uvec4 row = uvec4(0);
    if (WHICH == 0) {
        row = uvec4(gl_SubgroupSize, me, gl_SubgroupID, gl_NumSubgroups + (subgroupElect() ? 1000 : 0));
    } else if (WHICH == 1) {
        row = uvec4(subgroupAll(v < 1000), subgroupAny(v == given[0]), subgroupAllEqual(v), subgroupAllEqual(gl_SubgroupID));
    } else if (WHICH == 2) {
        row = uvec4(subgroupAdd(v), subgroupInclusiveAdd(v), subgroupExclusiveAdd(v), subgroupMax(v));
    } else if (WHICH == 3) {
        uvec4 b = subgroupBallot((v & 1) == 1);
        row = uvec4(subgroupBallotBitCount(b), subgroupBallotExclusiveBitCount(b), subgroupBallotFindMSB(b), subgroupBroadcast(v, 3));
    } else if (WHICH == 4) {
        row = uvec4(subgroupShuffle(v, gl_SubgroupSize - 1 - me), subgroupShuffleXor(v, 5), subgroupShuffleUp(v, 1), subgroupShuffleDown(v, 2));
    } else if (WHICH == 5) {
        row = uvec4(subgroupQuadBroadcast(v, 2), subgroupQuadSwapHorizontal(v), subgroupQuadSwapVertical(v), subgroupQuadSwapDiagonal(v));
    } else if ((v & 1) == 0) { // of the active ones alone
        row = uvec4(subgroupAdd(v), subgroupBroadcastFirst(v), subgroupBallotBitCount(subgroupBallot(true)), subgroupMin(v));
    }
    rows[i] = row;
}
