#version 450
#extension GL_AMD_shader_ballot : require
#extension GL_AMD_gcn_shader : require
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_ARB_shader_ballot : require
#extension GL_KHR_shader_subgroup_basic : require
// Lane operations of AMD: swizzles, the count of lanes before, sums; cube arithmetic and the clock.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) writeonly buffer Out { uvec4 rows[64]; vec4 faces[64]; uint grew; };
void main() {
    uint i = gl_LocalInvocationIndex, me = gl_SubgroupInvocationID;
    uint64_t before = timeAMD();
    rows[i] = uvec4(swizzleInvocationsAMD(i, uvec4(1, 0, 3, 2)), mbcntAMD(~0ul), addInvocationsAMD(1u), writeInvocationAMD(7u, 9u, 3u));
    vec3 direction = vec3(i % 3 == 0 ? 2.0 : 0.5, i % 3 == 1 ? -2.0 : 0.25, i % 3 == 2 ? 2.0 : 0.125);
    faces[i] = vec4(cubeFaceIndexAMD(direction), cubeFaceCoordAMD(direction), 0.0);
    if (timeAMD() > before && i == 0) {
        grew = 1;
    }
}
