#version 450
#extension GL_KHR_shader_subgroup_arithmetic : enable
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Values { float values[]; };
layout(push_constant) uniform Push { uint count; float scale; } push;
shared float tile[64];

void main() {
    uint i = gl_GlobalInvocationID.x;
    tile[gl_LocalInvocationIndex] = i < push.count ? sin(values[i]) * -2.5 : 0.0;
    barrier();
    float sum = subgroupAdd(tile[63 - gl_LocalInvocationIndex]);
    switch (i % 3) {
    case 0: sum += 1.0; break;
    case 1: sum *= 1e-30; break;
    default: sum -= 3.14159265358979; break;
    }
    for (int k = 0; k < 4; k++) sum = fma(sum, float(k), push.scale);
    values[i] = sum;
}
