#version 450
// Switches with fall-through, nested loops with break and continue, early
// returns from nested calls.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Out { uint result[]; };

uint early(uint i) {
    for (uint k = 0; k < 10; k++) {
        if (k == i % 7) continue;
        if (k * k > i) return k;
        for (uint j = 0; j < k; j++) {
            if (i == j * k + 3) return 100 + j;
            if (j > 4) break;
        }
    }
    return 77;
}

uint choose(uint i) {
    uint r = 0;
    switch (i % 8) {
    case 0: r += 1;
    case 1: r += 10; break;
    case 2:
    case 3: r += 100;
        if (i > 32) break;
        r += 1000;
        break;
    case 5: return 5 + early(i);
    default: r = 9;
    }
    return r;
}

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint n = 0, x = i + 1;
    do {
        x = (x & 1u) == 0 ? x >> 1 : 3 * x + 1;
        n++;
    } while (x != 1 && n < 200);
    if (i >= 120) return;
    result[3 * i] = choose(i);
    result[3 * i + 1] = n;
    result[3 * i + 2] = early(i * 3);
}
