#version 450
#extension GL_EXT_shader_realtime_clock : require
#extension GL_ARB_shader_clock : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Out { uint64_t before[32]; uint64_t after[32]; float keep[32]; };
layout(constant_id = 0) const bool OF_DEVICE = false;
layout(constant_id = 1) const uint STEPS = 1;
uint64_t now() { return OF_DEVICE ? clockRealtimeEXT() : pack64(clock2x32ARB()); }
void main() {
    uint i = gl_LocalInvocationIndex;
    float v = float(i);
    before[i] = now();
    for (uint j = 0; j < STEPS; j++) {
        v = sqrt(v + keep[(i + j) % 32]);
    }
    keep[i] = v;
    after[i] = now();
}
