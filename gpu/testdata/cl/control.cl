// Control flow: switches, loops with several exits, gotos, returns from loops.
kernel void dense(global const int *in, global int *out) {
    const int i = get_global_id(0);
    int v = in[i];
    switch (v & 7) {
    case 0: v += 1; break;
    case 1: v *= 3; // falls through
    case 2: v ^= 5; break;
    case 3: { if (v & 16) break; v -= 9; break; }
    case 4:
    case 5: v = -v; // falls through
    default: v += 100;
    }
    out[i] = v;
}

kernel void sparse(global const long *in, global int *out) {
    const int i = get_global_id(0);
    int r = 0;
    switch (in[i]) {
    case -5: r = 1; break;
    case 0x100000000l: r = 2; break;
    case 77: r = 3; break;
    case 3: return;
    default: r = 9;
    }
    switch ((char)in[i]) {
    case -5: r += 10; break;
    case 77: r += 20; break;
    }
    out[i] = r;
}

kernel void exits(global const int *in, global int *out, int n) {
    const int i = get_global_id(0);
    int sum = 0, k;
    for (k = i; k < n; k++) {
        const int v = in[k];
        if (v == 7)
            break;
        if (v < 0)
            continue;
        if (v > 900) {
            sum = -sum;
            break;
        }
        sum += v;
        if (sum > 2000)
            goto done;
    }
    sum += 1000000;
done:
    out[i] = sum * 2 + (k & 1);
}

kernel void nested(global const int *in, global int *out) {
    const int i = get_global_id(0);
    int found = -1;
    for (int a = 0; a < 10; a++) {
        for (int b = 0; b < 10; b++) {
            const int v = in[(i + a * b) % 500];
            if (v % 11 == 3) {
                found = 100 * a + b;
                goto out_of_both;
            }
            if (v % 5 == 2)
                break;
        }
        if (in[(i + a) % 500] % 13 == 0)
            found--;
    }
out_of_both:
    out[i] = found;
}

kernel void returns(global const int *in, global int *out) {
    const int i = get_global_id(0);
    out[i] = -1;
    for (int k = 0; k < 20; k++) {
        if (in[i + k] % 7 == 0) {
            out[i] = k;
            return;
        }
        if (in[i + k] % 9 == 0)
            return;
    }
    out[i] = 99;
}

kernel void conditions(global const int *in, global int *out) {
    const int i = get_global_id(0);
    const int a = in[i], b = in[i + 1], c = in[i + 2];
    int r = 0;
    if ((a > 0 && b / (a | 1) > 2) || (c & 3 && (a ^ b) & 1))
        r = 1;
    if (!(a < b || b < c) && a != c)
        r |= 2;
    r |= (a < b ? b < c ? 4 : 8 : c < a ? 16 : 32);
    do {
        r += 64;
    } while (r % 5 != 0 && r < 2000);
    out[i] = r;
}

kernel void collatz(global const int *in, global int *out) {
    const int i = get_global_id(0);
    uint v = (in[i] & 0xfff) + 1;
    int steps = 0;
    while (v != 1) {
        v = v & 1 ? 3 * v + 1 : v / 2;
        if (++steps >= 100)
            break;
    }
    out[i] = steps;
}
