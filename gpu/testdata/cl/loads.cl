// vload and vstore: vectors at addresses of their components, and halves.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void shifted(global const uchar *in, global uchar *out) {
    const int i = get_global_id(0);
    const uchar4 v = vload4(0, in + 3 * i + 1);
    vstore4(v.wzyx, i, out);
}

kernel void sixteen(global const short *in, global short *out) {
    const int i = get_global_id(0);
    const short16 v = vload16(0, in + i);
    vstore8(v.lo + v.hi, i, out + 1);
}

kernel void pairs(global const float *in, global float *out) {
    const int i = get_global_id(0);
    vstore2(vload2(i, in).yx, i, out + 1);
}

kernel void longs(global const long *in, global long *out) {
    const int i = get_global_id(0);
    vstore2(vload2(0, in + i) * 3, i, out);
}

kernel void halves(global const half *in, global float *out) {
    const int i = get_global_id(0);
    out[i] = vload_half(i, in);
}

kernel void halves4(global const half *in, global float4 *out) {
    const int i = get_global_id(0);
    out[i] = vload_half4(i, in);
}

kernel void to_halves(global const float *in, global half *nearest, global half *down, global half *up, global half *zero) {
    const int i = get_global_id(0);
    vstore_half_rte(in[i], i, nearest);
    vstore_half_rtn(in[i], i, down);
    vstore_half_rtp(in[i], i, up);
    vstore_half_rtz(in[i], i, zero);
}

kernel __attribute__((reqd_work_group_size(64, 1, 1))) void of_local(global const uchar *in, global uchar *out) {
    local uchar bytes[64 * 3];
    const int i = get_global_id(0), lane = get_local_id(0);
    vstore3(vload3(i, in), lane, bytes);
    barrier(CLK_LOCAL_MEM_FENCE);
    vstore3(vload3(63 - lane, bytes), i, out);
}
