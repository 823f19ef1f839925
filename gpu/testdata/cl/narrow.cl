// Integers of 8, 16 and 64 bits: they wrap at their width, and keep their sign.
kernel void chars(global const char *in, global char *out, global int *wide) {
    const int i = get_global_id(0);
    char a = in[i], b = in[i + 1];
    a = a * 5 + b;
    b = (char)(b >> 2) - (char)(a << 1);
    out[i] = a ^ b;
    wide[i] = a / (b | 1) + a % (b | 1) + (a < b);
}

kernel void uchars(global const uchar *in, global uchar *out, global int *wide) {
    const int i = get_global_id(0);
    uchar a = in[i], b = in[i + 1];
    a = a * 5 + b;
    b = (uchar)(b >> 2) - (uchar)(a << 1);
    out[i] = a ^ b;
    wide[i] = a / (b | 1) + a % (b | 1) + (a < b);
}

kernel void shorts(global const short *in, global short *out, global int *wide) {
    const int i = get_global_id(0);
    short a = in[i], b = in[i + 1];
    a = a * 5 + b;
    b = (short)(b >> 3) - (short)(a << 2);
    out[i] = a ^ b;
    wide[i] = a / (b | 1) + a % (b | 1) + (a < b) + (ushort)a;
}

kernel void longs(global const long *in, global long *out) {
    const int i = get_global_id(0);
    const long a = in[i], b = in[i + 1];
    out[4 * i] = a * b + (a >> (b & 63)) - (b << (a & 63));
    out[4 * i + 1] = a / ((b >> 40) | 1);
    out[4 * i + 2] = a % ((b >> 13) | 1);
    out[4 * i + 3] = (a < b) + 2 * ((ulong)a < (ulong)b) + (long)((ulong)a / ((ulong)b | 1)) + (long)((ulong)a >> 60) + (int)a + (short)b;
}

kernel void bools(global const int *in, global uchar *out) {
    const int i = get_global_id(0);
    const bool a = in[i] > 0, b = in[i + 1] & 4;
    out[i] = (a && b) + 2 * (a || b) + 4 * (a ^ b) + 8 * !a;
}

kernel void conversions(global const float *in, global int *out) {
    const int i = get_global_id(0);
    const float f = in[i];
    out[8 * i] = (char)f;
    out[8 * i + 1] = (short)f;
    out[8 * i + 2] = (uchar)fabs(f);
    out[8 * i + 3] = convert_char_sat(f * 2);
    out[8 * i + 4] = convert_short_sat_rte(f * 1000);
    out[8 * i + 5] = (int)((long)f * 3);
    out[8 * i + 6] = convert_uchar_sat(f);
    out[8 * i + 7] = convert_int_rtn(f);
}

kernel void saturated(global const long *in, global int *out) {
    const int i = get_global_id(0);
    const long v = in[i] >> (i & 63);
    out[4 * i] = convert_int_sat(v);
    out[4 * i + 1] = (int)convert_uint_sat(v);
    out[4 * i + 2] = convert_short_sat(v) + convert_uchar_sat(v);
    out[4 * i + 3] = convert_int_sat((ulong)v);
}
