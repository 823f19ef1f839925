kernel __attribute__((vec_type_hint(float4))) __attribute__((work_group_size_hint(16, 4, 1))) void hints(global float4 *restrict a, const global float4 *restrict b, int n) {
  #pragma unroll 4
  for (int i = 0; i < n; i++) a[get_global_id(0)] += b[i] * a[i];
}
