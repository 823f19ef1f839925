#version 450
layout(local_size_x_id = 10, local_size_y_id = 11) in;
layout(constant_id = 0) const uint N = 4;
layout(constant_id = 1) const bool FLAG = false;
layout(constant_id = 2) const float SCALE = 1.5;
layout(constant_id = 3) const int NEG = -3;
const uint M = FLAG ? N * 2 : N + 1;
const vec2 PAIR = vec2(SCALE, 2.0);
const int Q = (NEG << 2) / 5 + int(N % 3u);
layout(set = 0, binding = 0) buffer Out { uint result[]; };
void main() {
    uint a[M];
    for (uint i = 0; i < M; i++) a[i] = i * N;
    uint base = gl_LocalInvocationIndex * 6;
    result[base] = a[M - 1];
    result[base + 1] = uint(PAIR.x * PAIR.y * 10.0);
    result[base + 2] = uint(Q);
    result[base + 3] = gl_WorkGroupSize.x * 100 + gl_WorkGroupSize.y;
    result[base + 4] = FLAG ? 1 : 2;
    result[base + 5] = a.length();
}
