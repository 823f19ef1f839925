#version 450
// Each invocation runs sixteen independent chains of multiply-adds, in pairs that machines issue together where they can, 64 of them in a
// round: nothing but the vector unit is busy.
layout(local_size_x = 256) in;

layout(constant_id = 0) const uint ROUNDS = 8;

layout(set = 0, binding = 0) buffer Sink { float sink[]; };

void main() {
    vec2 x = float(gl_LocalInvocationID.x) * vec2(1.0, 0.5), m = x * 0.01;
    vec2 a = x, b = x + 1.0, c = x + 2.0, d = x + 3.0, e = x + 4.0, f = x + 5.0, g = x + 6.0, h = x + 7.0;
    for (uint i = 0; i < ROUNDS; i++) {
        for (uint k = 0; k < 4; k++) {
            a = fma(m, x, a); b = fma(m, x, b); c = fma(m, x, c); d = fma(m, x, d);
            e = fma(m, x, e); f = fma(m, x, f); g = fma(m, x, g); h = fma(m, x, h);
        }
    }
    vec2 sum = a + b + c + d + e + f + g + h;
    if (sum.x + sum.y == 12345.5) sink[0] = sum.x; // never: the chains are needed, no store is
}
