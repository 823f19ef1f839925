// Built-in functions of floats: each writes a column.
kernel void unary(global const float *in, global float *out) {
    const int i = get_global_id(0);
    const float x = in[i], p = fabs(x) + 0x1p-20f;
    out += 40 * i;
    out[0] = sqrt(p); out[1] = rsqrt(p); out[2] = exp(x); out[3] = exp2(x); out[4] = exp10(x * 0.1f); out[5] = expm1(x);
    out[6] = log(p); out[7] = log2(p); out[8] = log10(p); out[9] = log1p(p); out[10] = sin(x); out[11] = cos(x); out[12] = tan(x);
    out[13] = asin(x * 0.01f); out[14] = acos(x * 0.01f); out[15] = atan(x); out[16] = sinh(x * 0.2f); out[17] = cosh(x * 0.2f);
    out[18] = tanh(x); out[19] = asinh(x); out[20] = acosh(1.0f + p); out[21] = atanh(x * 0.01f); out[22] = cbrt(x);
    out[23] = floor(x); out[24] = ceil(x); out[25] = trunc(x); out[26] = rint(x); out[27] = round(x); out[28] = fabs(x); out[29] = sign(x);
    out[30] = degrees(x); out[31] = radians(x); out[32] = erf(x * 0.1f); out[33] = erfc(x * 0.1f); out[34] = tgamma(p * 0.1f + 1.0f); out[35] = lgamma(p + 3.0f);
    out[36] = sinpi(x); out[37] = cospi(x); out[38] = logb(p); out[39] = 1.0f / x;
}

kernel void binary(global const float *in, global float *out) {
    const int i = get_global_id(0);
    const float x = in[i], y = in[i + 1], p = fabs(x) + 0x1p-20f;
    out += 24 * i;
    out[0] = pow(p, y * 0.1f); out[1] = powr(p, y * 0.1f); out[2] = pown(x, i % 5 - 2); out[3] = atan2(x, y); out[4] = hypot(x, y);
    out[5] = fmod(x, y); out[6] = remainder(x, y); out[7] = fmin(x, y); out[8] = fmax(x, y); out[9] = fdim(x, y); out[10] = copysign(x, y);
    out[11] = nextafter(x, y); out[12] = ldexp(x, i % 9 - 4); out[13] = mix(x, y, 0.25f); out[14] = step(x, y);
    out[15] = smoothstep(-2.0f, 3.0f, x); out[16] = clamp(x, -1.0f, 2.0f); out[17] = fma(x, y, 1.0f); out[18] = mad(x, y, 1.0f);
    out[19] = maxmag(x, y); out[20] = minmag(x, y); out[21] = x / y; out[22] = fmod(y, x); out[23] = rootn(p, 3);
}

kernel void pointers(global const float *in, global float *out, global int *whole) {
    const int i = get_global_id(0);
    const float x = in[i], y = in[i + 1];
    out += 8 * i;
    whole += 4 * i;
    float whole_part, c;
    int e, q, sign_of_gamma;
    out[0] = fract(x, &whole_part);
    out[1] = whole_part;
    out[2] = modf(x, &whole_part);
    out[3] = whole_part;
    out[4] = frexp(x, &e);
    out[5] = sincos(x, &c);
    out[6] = c;
    out[7] = remquo(x, y, &q);
    whole[0] = e;
    whole[1] = q & 7;
    whole[2] = ilogb(x);
    (void)lgamma_r(x + 20.0f, &sign_of_gamma);
    whole[3] = sign_of_gamma;
}

kernel void quick(global const float *in, global float *out) {
    const int i = get_global_id(0);
    const float p = fabs(in[i]) + 0.5f;
    out += 12 * i;
    out[0] = native_sqrt(p); out[1] = native_rsqrt(p); out[2] = native_recip(p); out[3] = native_divide(1.0f, p); out[4] = native_exp(p * 0.1f);
    out[5] = native_exp2(p * 0.1f); out[6] = native_log(p + 1.0f); out[7] = native_log2(p + 1.0f); out[8] = half_sqrt(p); out[9] = half_recip(p);
    out[10] = half_exp(p * 0.1f); out[11] = native_powr(p, 0.5f);
}

kernel void geometry(global const float4 *in, global float *out, global float4 *vectors) {
    const int i = get_global_id(0);
    const float4 a = in[i], b = in[i + 1];
    out += 4 * i;
    out[0] = dot(a, b); out[1] = length(a.xyz); out[2] = distance(a, b); out[3] = fast_length(a.xy);
    vectors[2 * i] = cross(a, b);
    vectors[2 * i + 1] = normalize(a);
}
