kernel void vectors(global float3 *a, global float8 *b, global int16 *c, global char *d, global double2 *e) {
  size_t i = get_global_id(0);
  float3 x = vload3(i, (global float *)a);
  float8 y = b[i];
  y.even = y.odd + x.xyzz;
  y.s7 = dot(y.lo, y.hi) + cross(x, x.zxy).y;
  b[i] = y;
  int16 z = c[i];
  c[i] = select(z, z + (int16)(1), z > (int16)(5));
  vstore8(convert_char8_sat(z.lo), i, d);
  vstore3(x * 2, i, (global float *)a);
  e[i] = convert_double2(x.xy) * e[i];
  if (any(x > 0) && all(isequal(x, x))) b[i].s0 = shuffle(y, (uint8)(7,6,5,4,3,2,1,0)).s1;
}
