kernel void maths(global float *a, global float *b, global int *e) {
  size_t i = get_global_id(0);
  float x = a[i], y, z; int n;
  y = mad(x, 2.0f, exp(x)) + log(fabs(x)) + native_sin(x) + half_sqrt(x) + rsqrt(x) + fmin(x, cos(x)) + floor(x) + atan2(x, 3.0f) + hypot(x, 2.0f);
  y += sincos(x, &z) + modf(x, &z) + frexp(x, &n) + remquo(x, 3.0f, &n) + fract(x, &z) + pown(x, 3) + ldexp(x, n) + lgamma_r(x, &n) + tgamma(x);
  y += smoothstep(0.0f, 1.0f, x) + step(0.5f, x) + mix(x, y, 0.25f) + sign(x) + degrees(x) + nan(3u) + native_divide(x, y) + native_recip(x);
  b[i] = isnan(y) || isinf(y) || signbit(y) || !isfinite(y) || isnormal(x) || isless(x, y) ? z : y;
  e[i] = ilogb(x) + convert_int_rte(x) + (int)x;
}
