// Kernels that leave the same bytes by every way to the simulator: integers, floats without contraction and division,
// atomics whose order does not matter, local memory. ways.comp has the same in GLSL.
#pragma OPENCL FP_CONTRACT OFF

#define WAY(name) kernel __attribute__((reqd_work_group_size(64, 1, 1))) void name(global const uint *a, global const uint *b, global uint *out)

float fraction(uint v) { return as_float((v >> 9) | 0x3f800000); } // 1 to 2

WAY(mixed) {
    const size_t i = get_global_id(0);
    out[i] = (a[i] ^ b[i]) * 2654435761u + rotate(a[i], 7u) - (b[i] >> (a[i] & 31));
}

WAY(quotients) {
    const size_t i = get_global_id(0);
    const uint d = b[i] >> (a[i] & 31) | 1;
    out[i] = a[i] / d + 3 * (a[i] % d);
}

WAY(signed_quotients) {
    const size_t i = get_global_id(0);
    const int x = (int)a[i], d = (int)b[i] >> (a[i] & 31) | 1;
    out[i] = (uint)((x >> 3) / d + 3 * ((x >> 3) - (x >> 3) / d * d));
}

WAY(counts) {
    const size_t i = get_global_id(0);
    out[i] = popcount(a[i]) + 64 * clz(b[i] >> (a[i] & 31));
}

WAY(high_halves) {
    const size_t i = get_global_id(0);
    out[i] = mul_hi(a[i], b[i]) ^ (uint)mul_hi((int)a[i], (int)b[i]);
}

WAY(long_sums) {
    const size_t i = get_global_id(0);
    const ulong x = (ulong)a[i] << 32 | b[i];
    const ulong y = x * 0x9e3779b97f4a7c15ul + (x >> 29);
    out[i] = (uint)(y >> 32) + (uint)y;
}

WAY(products) {
    const size_t i = get_global_id(0);
    const float x = fraction(a[i]), y = fraction(b[i]);
    out[i] = as_uint(x * y + (x - y * 0.75f) * x);
}

WAY(ordered) {
    const size_t i = get_global_id(0);
    const float x = fraction(a[i]) - 1.5f, y = fraction(b[i]) - 1.5f;
    const float z = fmin(x, y) + floor(fmax(x, y) * 37.0f) + fabs(x);
    out[i] = as_uint(x < y ? z : -z);
}

WAY(conversions) {
    const size_t i = get_global_id(0);
    out[i] = (uint)((float)(a[i] & 0xffffff) * 0.37f) + (uint)(int)((float)((int)b[i] >> 8) * 0.5f);
}

WAY(steps) {
    const size_t i = get_global_id(0);
    uint x = a[i] % 10000 + 1, n = 0;
    while (x != 1 && n < 200) {
        if (x & 1)
            x = 3 * x + 1;
        else
            x >>= 1;
        n++;
        if (x == b[i] % 1000)
            break;
    }
    out[i] = x * 256 + n;
}

WAY(switched) {
    const size_t i = get_global_id(0);
    uint x = b[i];
    switch (a[i] & 7) {
    case 0: x += 5; break;
    case 1: x *= 3; // falls through
    case 2: x ^= 0xff; break;
    case 5: for (uint k = 0; k < (x & 15); k++) x += k * x; break;
    default: x = ~x;
    }
    out[i] = x;
}

WAY(reversed) {
    local uint tile[64];
    const size_t i = get_global_id(0);
    const uint lane = get_local_id(0);
    tile[lane] = a[i] + lane;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[63 - lane] * b[i];
}

WAY(reduced) {
    local uint tile[64];
    const uint lane = get_local_id(0);
    tile[lane] = a[get_global_id(0)] ^ b[get_global_id(0)];
    for (uint n = 32; n > 0; n >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < n)
            tile[lane] += tile[lane + n] * 3;
    }
    if (lane == 0)
        out[get_group_id(0)] = tile[0];
}

WAY(summed_floats) {
    local float tile[64];
    const uint lane = get_local_id(0);
    tile[lane] = fraction(a[get_global_id(0)]);
    for (uint n = 1; n < 64; n <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const float x = lane >= n ? tile[lane - n] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        tile[lane] += x;
    }
    out[get_global_id(0)] = as_uint(tile[lane]);
}

WAY(counted) {
    const size_t i = get_global_id(0);
    atomic_add(&out[a[i] & 63], b[i]);
    atomic_max(&out[64 + (a[i] & 7)], b[i]);
    atomic_xor(&out[80 + (b[i] & 7)], a[i]);
    atomic_inc(&out[96]);
    atomic_or(&out[97], a[i] & b[i] & 0x00ff00ff);
}

WAY(counted_locally) {
    local uint bins[16];
    const uint lane = get_local_id(0);
    if (lane < 16)
        bins[lane] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&bins[a[get_global_id(0)] & 15]);
    atomic_add(&bins[b[get_global_id(0)] >> 28], 1000);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < 16)
        out[16 * get_group_id(0) + lane] = bins[lane];
}

WAY(private_tables) {
    const size_t i = get_global_id(0);
    uint table[8];
    for (uint k = 0; k < 8; k++)
        table[k] = a[i] >> k;
    table[b[i] & 7] += b[i];
    table[b[i] >> 29] ^= 0x55;
    uint sum = 0;
    for (uint k = 0; k < 8; k++)
        sum = 3 * sum + table[k];
    out[i] = sum;
}

WAY(bytes) {
    const size_t i = get_global_id(0);
    const uchar4 x = as_uchar4(a[i]) + as_uchar4(b[i]);
    out[i] = as_uint(max(x, (uchar4)17)) + x.y;
}
