// Relations of floats, and selections.
kernel void scalars(global const float *in, global int *out) {
    const int i = get_global_id(0);
    const float a = in[i], b = in[i + 1];
    out[4 * i] = isnan(a) + 2 * isinf(a) + 4 * isfinite(a) + 8 * isnormal(a) + 16 * (signbit(a) != 0);
    out[4 * i + 1] = isequal(a, b) + 2 * isnotequal(a, b) + 4 * isgreater(a, b) + 8 * isless(a, b) + 16 * islessequal(a, b) + 32 * isgreaterequal(a, b);
    out[4 * i + 2] = isordered(a, b) + 2 * isunordered(a, b) + 4 * islessgreater(a, b) + 8 * (a == b) + 16 * (a != b) + 32 * !(a < b);
    out[4 * i + 3] = as_int(bitselect(a, b, 3.0f));
}

kernel void vectors(global const float4 *in, global int4 *out, global float4 *chosen) {
    const int i = get_global_id(0);
    const float4 a = in[i], b = in[i + 1];
    out[i] = isless(a, b) + isnan(a) * 2 + (int4)(any(a > b), all(isfinite(a)), 0, 0);
    chosen[i] = select(a, b, isnan(a) | (as_int4(b) << 30));
}

kernel void scalar_select(global const long *in, global long *out) {
    const int i = get_global_id(0);
    const long a = in[i], b = in[i + 1];
    out[i] = select(a, b, b) + bitselect(a, b, 0x00ff00ff00ff00ffl) + select((char)a, (char)b, (char)(a & 1));
}

kernel void of_integers(global const int *in, global int *out) {
    const int i = get_global_id(0);
    const int a = in[i], b = in[i + 1];
    out[3 * i] = a >= b;
    out[3 * i + 1] = (uint)a >= (uint)b;
    out[3 * i + 2] = a >= b & (uint)b >= 77u;
}
