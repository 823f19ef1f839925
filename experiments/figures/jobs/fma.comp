#version 450
// Each invocation runs sixteen independent chains of multiply-adds, in pairs that machines issue together where they can, 64 of them in a
// round: nothing but the vector unit is busy. A chain's neighbours have no factor in common, so that no compiler adds the others first.
layout(local_size_x = 256) in;

layout(constant_id = 0) const uint ROUNDS = 8;

layout(set = 0, binding = 0) buffer Sink { float sink[]; };

void main() {
    vec2 x = float(gl_LocalInvocationID.x) * vec2(1.0, 0.5), m = x * 0.01, n = x * 0.03, z = x + 0.5;
    vec2 a = x, b = x + 1.0, c = x + 2.0, d = x + 3.0, e = x + 4.0, f = x + 5.0, g = x + 6.0, h = x + 7.0;
    for (uint i = 0; i < ROUNDS; i++) {
        for (uint k = 0; k < 2; k++) {
            a = fma(m, x, a); b = fma(m, x, b); c = fma(m, x, c); d = fma(m, x, d);
            e = fma(m, x, e); f = fma(m, x, f); g = fma(m, x, g); h = fma(m, x, h);
            a = fma(n, z, a); b = fma(n, z, b); c = fma(n, z, c); d = fma(n, z, d);
            e = fma(n, z, e); f = fma(n, z, f); g = fma(n, z, g); h = fma(n, z, h);
        }
    }
    vec2 sum = a + b + c + d + e + f + g + h;
    if (sum.x + sum.y == 12345.5) sink[0] = sum.x; // never: the chains are needed, no store is
}
