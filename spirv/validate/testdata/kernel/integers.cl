kernel void integers(global int *a, global uchar4 *c, global ushort *s, global long *q) {
  size_t i = get_global_id(0);
  int x = a[i];
  x = abs(x) + add_sat(x, 5) + clz(x) + mul_hi(x, 9) + mad24(x, 3, 4) + rotate(x, 5) + hadd(x, 1) + popcount(x) + clamp(x, -4, 4) + max(x, 3);
  c[i] = convert_uchar4_sat(convert_int4(c[i]) - x) >> (uchar4)(1);
  s[i] = (ushort)abs_diff(s[i], (ushort)9) * upsample((uchar)x, (uchar)3);
  q[i] = (q[i] >> (x & 63)) % 7 + (long)mad_sat((short)x, (short)3, (short)4);
  a[i] = bitselect(x, a[i], 0xff) + (x << 3) / 5;
}
