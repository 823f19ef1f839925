// Built-in functions of integers.
#define EACH(T, WIDTH) \
kernel void saturate_##T(global const T *in, global T *out) { \
    const int i = get_global_id(0); \
    const T a = in[i], b = in[i + 1]; \
    out[8 * i] = add_sat(a, b); \
    out[8 * i + 1] = sub_sat(a, b); \
    out[8 * i + 2] = hadd(a, b); \
    out[8 * i + 3] = rhadd(a, b); \
    out[8 * i + 4] = mul_hi(a, b); \
    out[8 * i + 5] = rotate(a, b); \
    out[8 * i + 6] = clz(a); \
    out[8 * i + 7] = popcount(a) + max(a, b) - min(a, (T)7) + clamp(b, (T)1, (T)9); \
}
EACH(char, 8) EACH(uchar, 8) EACH(short, 16) EACH(ushort, 16) EACH(int, 32) EACH(uint, 32) EACH(long, 64) EACH(ulong, 64)

kernel void products(global const int *in, global int *out) {
    const int i = get_global_id(0);
    const int a = in[i], b = in[i + 1], c = in[i + 2];
    out[8 * i] = mad_hi(a, b, c);
    out[8 * i + 1] = mad_sat(a, b, c);
    out[8 * i + 2] = mul24(a >> 8, b >> 8);
    out[8 * i + 3] = mad24(a >> 8, b >> 8, c);
    out[8 * i + 4] = (int)abs(a);
    out[8 * i + 5] = (int)abs_diff(a, b);
    out[8 * i + 6] = upsample((short)a, (ushort)b);
    out[8 * i + 7] = (int)mad_sat((uint)a, (uint)b & 15, (uint)c);
}

kernel void vectors(global const short4 *in, global short4 *out, global int4 *wide) {
    const int i = get_global_id(0);
    const short4 a = in[i], b = in[i].wzyx;
    out[i] = add_sat(a, b) ^ rotate(a, (short4)(3));
    wide[i] = upsample(a, as_ushort4(b)) + convert_int4(abs_diff(a, b));
}
