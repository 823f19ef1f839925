#version 450
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint given[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uvec2 rows[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    rows[i] = uvec2(subgroupClusteredAdd(given[i], 4), subgroupClusteredMax(given[i], 2));
}
