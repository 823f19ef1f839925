#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void halves(global half *a, global float *f, global half4 *v) {
  size_t i = get_global_id(0);
  f[i] = vload_half(i, a);
  vstore_half_rte(f[i] * 2, i + 1, a);
  v[i] = v[i] * (half4)(0.5h) + convert_half4(vload4(i, f));
  vstore_half4(convert_float4(v[i]), i, a);
}
