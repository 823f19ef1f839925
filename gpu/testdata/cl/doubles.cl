// Arithmetic of doubles.
kernel void arithmetic(global const double *in, global double *out) {
    const int i = get_global_id(0);
    const double a = in[i], b = in[i + 1];
    out[8 * i] = a + b;
    out[8 * i + 1] = a * b;
    out[8 * i + 2] = a / b;
    out[8 * i + 3] = fma(a, b, 1.0);
    out[8 * i + 4] = sqrt(fabs(a));
    out[8 * i + 5] = floor(a) + ceil(b) + trunc(a);
    out[8 * i + 6] = fmin(a, b) - fmax(a, 1.0);
    out[8 * i + 7] = a < b ? a : -b;
}

kernel void converted(global const double *in, global long *whole, global float *single, global double *back) {
    const int i = get_global_id(0);
    whole[i] = (long)in[i];
    single[i] = (float)in[i];
    back[i] = (double)((ulong)fabs(in[i]) * 3) + (double)(int)in[i] + (double)(float)in[i];
}

kernel void functions(global const double *in, global double *out) {
    const int i = get_global_id(0);
    const double x = in[i];
    out[4 * i] = exp(x * 0.01);
    out[4 * i + 1] = log(fabs(x) + 0.5);
    out[4 * i + 2] = sin(x) + 2;
    out[4 * i + 3] = pow(fabs(x) + 0.1, 1.5);
}
