#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(set = 0, binding = 0) buffer Data { uint lanes; };
layout(location = 0) out vec4 color;
void main() {
    uint n = subgroupAdd(1u);
    atomicMax(lanes, n);
    color = vec4(n);
}
