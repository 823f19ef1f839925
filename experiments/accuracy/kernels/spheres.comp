#version 450
// 64 spheres: centre, radius and colour, from a linear congruential generator.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) writeonly buffer S { float spheres[]; };
uint x = 42u;
float next() {
    x = x * 1103515245u + 12345u;
    return float(x % 10000u) / 10000.0;
}
void main() {
    for (uint i = 0u; i < 448u; i += 7u) {
        spheres[i] = 6.0 * next() - 3.0;
        spheres[i + 1u] = 6.0 * next() - 3.0;
        spheres[i + 2u] = 4.0 * next() - 4.0;
        spheres[i + 3u] = 0.5 * next() + 0.2;
        for (uint c = 4u; c < 7u; c++) {
            spheres[i + c] = 0.8 * next() + 0.2;
        }
    }
}
