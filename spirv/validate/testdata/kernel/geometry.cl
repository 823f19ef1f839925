kernel void geometry(global float4 *a, global float *out) {
  size_t i = get_global_id(0);
  float4 x = a[i];
  out[i] = dot(x, x.wzyx) + length(x.xyz) + distance(x, (float4)(1)) + fast_length(x) + normalize(x).x + cross(x, x.yzwx).z;
}
