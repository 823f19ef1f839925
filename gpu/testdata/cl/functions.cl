// Built-in functions that few programs call: half and native forms, angles in units of pi, unsigned integers.
kernel void quick_forms(global const float *in, global float *out) {
    const int i = get_global_id(0);
    const float x = in[i];
    out += 16 * i;
    out[0] = half_cos(x); out[1] = half_sin(x); out[2] = half_tan(x); out[3] = half_divide(2.0f, x); out[4] = half_exp2(x); out[5] = half_exp10(x);
    out[6] = half_log(x + 1.0f); out[7] = half_log2(x + 1.0f); out[8] = half_log10(x + 1.0f); out[9] = half_powr(x, 1.5f); out[10] = half_rsqrt(x);
    out[11] = native_cos(x); out[12] = native_sin(x); out[13] = native_tan(x); out[14] = native_exp10(x); out[15] = native_log10(x + 1.0f);
}

kernel void angles(global const float *in, global float *out) {
    const int i = get_global_id(0);
    const float x = in[i], y = in[i + 1];
    out += 8 * i;
    out[0] = acospi(x * 0.5f); out[1] = asinpi(x * 0.5f); out[2] = atanpi(x); out[3] = atan2pi(x, y); out[4] = tanpi(x * 0.25f);
    out[5] = max(x, y); out[6] = min(x, y); out[7] = isnan(nan(as_uint(x)));
}

kernel void lengths(global const float4 *in, global float *out, global float4 *units) {
    const int i = get_global_id(0);
    out[i] = fast_distance(in[i], in[i + 1]);
    units[i] = fast_normalize(in[i]);
}

kernel void unsigned_products(global const uint *in, global uint *out) {
    const int i = get_global_id(0);
    const uint a = in[i], b = in[i + 1], c = in[i + 2];
    out += 8 * i;
    out[0] = abs(a); out[1] = abs_diff(a, b); out[2] = mul24(a >> 8, b >> 8); out[3] = mad24(a >> 8, b >> 8, c); out[4] = mad_hi(a, b, c);
    out[5] = abs_diff((ushort)a, (ushort)b); out[6] = mad_hi((ushort)a, (ushort)b, (ushort)c); out[7] = convert_uint_sat(upsample(a, b) >> 33);
}
