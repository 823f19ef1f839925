// Vectors of all sizes: components, parts, conversions, comparisons, shuffles.
kernel void reversed(global const uint16 *in, global uint16 *out) {
    const int i = get_global_id(0);
    uint16 v = in[i];
    v.s37b = v.sfed;
    out[i] = v.sfedcba9876543210;
}

kernel void parts(global const short8 *in, global short8 *out) {
    const int i = get_global_id(0);
    const short8 v = in[i];
    short8 w;
    w.lo = v.hi + v.even;
    w.hi = v.odd - v.lo;
    w.s17 = w.s71;
    out[i] = w;
}

kernel void threes(global const int *in, global int *out, global int3 *wide) {
    const int i = get_global_id(0);
    const int3 v = vload3(i, in);
    wide[i] = v.zxy * (int3)(1, 2, 3);
    vstore3(v.yzx + 1, i, out);
}

kernel void third(global const int3 *in, global int *out) {
    const int i = get_global_id(0);
    const int3 v = in[i];
    out[i] = v.x + 2 * v.y + 4 * v.z;
}

kernel void compared(global const int4 *in, global int4 *out) {
    const int i = get_global_id(0);
    const int4 v = in[i], w = in[i].wzyx;
    out[i] = (v > w) + 2 * (v == w.yxwz) + (v < 0 ? v : w) + (int4)(any(v > 100), all(v > -1000), !v.x, ~v.y);
}

kernel void indexed(global const float4 *in, global float *out) {
    const int i = get_global_id(0);
    float4 v = in[i];
    ((float *)&v)[i & 3] *= 2.0f;
    out[i] = ((const float *)&v)[(i >> 1) & 3];
}

kernel void converted(global const float4 *in, global char4 *bytes, global int4 *words, global ushort4 *rounded) {
    const int i = get_global_id(0);
    bytes[i] = convert_char4_sat(in[i]);
    words[i] = convert_int4_rte(in[i]);
    rounded[i] = convert_ushort4_sat_rtp(in[i]);
}

kernel void reinterpreted(global const int4 *in, global short8 *out) {
    const int i = get_global_id(0);
    out[i] = as_short8(in[i]) + as_short8(as_uint4(in[i]) >> 16);
}

kernel void shuffled(global const uint4 *in, global uint4 *out, global uint8 *wide) {
    const int i = get_global_id(0);
    const uint4 v = in[i];
    out[i] = shuffle(v, v.wxyz);
    wide[i] = shuffle2(v, v + 1u, (uint8)(v.xyzw, v.wzyx));
}

kernel void sums(global const uchar16 *in, global uint *out) {
    const int i = get_global_id(0);
    const ushort16 v = convert_ushort16(in[i]) * (ushort)3;
    const ushort8 a = v.lo + v.hi;
    const ushort4 b = a.lo + a.hi;
    out[i] = b.x + b.y + b.z + b.w;
}

kernel void doubles3(global const double3 *in, global double3 *out) {
    const int i = get_global_id(0);
    out[i] = in[i].yzx * 2.0 - in[i];
}
