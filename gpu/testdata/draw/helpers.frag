#version 450
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_EXT_demote_to_helper_invocation : require
// What waves count among their lanes: the sums are over all waves, written by the lane that is elected.
layout(set = 0, binding = 0) buffer Data { uint ballots, sums, firsts, votes, scans, quads, after; };
layout(location = 0) out vec4 color;
void main() {
    uint lanes = subgroupBallotBitCount(subgroupBallot(true));
    uint sum = subgroupAdd(1u);
    bool helper = helperInvocationEXT();
    bool some = subgroupAny(helper);
    uint last = subgroupMax(subgroupExclusiveAdd(1u));
    uint first = subgroupBroadcastFirst(helper ? 1000u : 1u);
    uint quad = subgroupQuadBroadcast(1u, 0u) + subgroupQuadSwapDiagonal(1u);
    if (subgroupElect()) {
        atomicAdd(ballots, lanes);
        atomicAdd(sums, sum);
        atomicAdd(firsts, first);
        atomicAdd(votes, some ? 1u : 0u);
        atomicAdd(scans, last + 1u);
    }
    atomicAdd(quads, quad); // by each lane that is no helper
    if ((int(gl_FragCoord.x) & 1) != 0) demote;
    uint left = subgroupAdd(1u);
    if (subgroupElect()) atomicAdd(after, left);
    color = vec4(dFdx(gl_FragCoord.x));
}
