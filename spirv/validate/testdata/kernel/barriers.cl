kernel __attribute__((reqd_work_group_size(64, 1, 1))) void barriers(global const float *in, global float *out, uint n) {
  local float tile[64];
  uint l = get_local_id(0);
  float s = 0;
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) s += in[i];
  tile[l] = s;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = get_local_size(0) / 2; k > 0; k >>= 1) {
    if (l < k) tile[l] += tile[l + k];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  if (l == 0) out[get_group_id(0)] = tile[0];
}
