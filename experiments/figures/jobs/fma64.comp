#version 450
// As fma.comp, of doubles: each invocation runs eight independent chains of multiply-adds, 32 of them in a round.
layout(local_size_x = 256) in;

layout(constant_id = 0) const uint ROUNDS = 8;

layout(set = 0, binding = 0) buffer Sink { float sink[]; };

void main() {
    double x = double(gl_LocalInvocationID.x), m = x * 0.01LF, n = x * 0.03LF, z = x + 0.5LF;
    double a = x, b = x + 1.0LF, c = x + 2.0LF, d = x + 3.0LF, e = x + 4.0LF, f = x + 5.0LF, g = x + 6.0LF, h = x + 7.0LF;
    for (uint i = 0; i < ROUNDS; i++) {
        for (uint k = 0; k < 2; k++) {
            a = fma(m, x, a); b = fma(m, x, b); c = fma(m, x, c); d = fma(m, x, d);
            e = fma(m, x, e); f = fma(m, x, f); g = fma(m, x, g); h = fma(m, x, h);
            a = fma(n, z, a); b = fma(n, z, b); c = fma(n, z, c); d = fma(n, z, d);
            e = fma(n, z, e); f = fma(n, z, f); g = fma(n, z, g); h = fma(n, z, h);
        }
    }
    if (a + b + c + d + e + f + g + h == 12345.5LF) sink[0] = 1.0; // never: the chains are needed, no store is
}
