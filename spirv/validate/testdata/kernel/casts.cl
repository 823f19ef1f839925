kernel void casts(global uchar *bytes, global float *out, global ulong *words, local int *tile) {
  size_t i = get_global_id(0);
  global float4 *v = (global float4 *)(bytes + 16 * i);
  float4 x = v[0];
  out[i] = x.x + as_float(as_uint(x.y) ^ 1u);
  words[i] = (ulong)(uintptr_t)v + (v - (global float4 *)bytes);
  local short *s = (local short *)tile;
  s[get_local_id(0)] = (short)i;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] += tile[0];
  if (v != 0 && (global void *)v == (global void *)out) out[i] = 0;
}
