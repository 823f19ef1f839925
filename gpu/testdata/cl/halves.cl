// Arithmetic of halves.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void arithmetic(global const half *in, global half *out) {
    const int i = get_global_id(0);
    const half a = in[i], b = in[i + 1];
    out[4 * i] = a + b;
    out[4 * i + 1] = a * b;
    out[4 * i + 2] = a - (half)1.5h;
    out[4 * i + 3] = fmax(a, b);
}

kernel void vectors(global const half4 *in, global half4 *out, global int4 *less) {
    const int i = get_global_id(0);
    out[i] = in[i].wzyx + in[i];
    less[i] = convert_int4(in[i] < in[i].yxwz);
}

kernel void converted(global const half *in, global float *out, global int *whole) {
    const int i = get_global_id(0);
    out[i] = (float)in[i] * 3.0f;
    whole[i] = (int)in[i];
}

kernel void from(global const int *in, global half *out) {
    const int i = get_global_id(0);
    out[i] = (half)in[i];
}
