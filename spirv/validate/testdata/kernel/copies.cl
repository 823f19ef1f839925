kernel void copies(global const float *in, global float *out, local float *tile) {
  event_t e = async_work_group_copy(tile, in + get_group_id(0) * 64, 64, 0);
  e = async_work_group_strided_copy(tile + 64, in, 64, 2, e);
  wait_group_events(1, &e);
  out[get_global_id(0)] = tile[get_local_id(0)] + tile[64];
  barrier(CLK_LOCAL_MEM_FENCE);
  e = async_work_group_copy(out, tile, 64, 0);
  wait_group_events(1, &e);
  prefetch(in, 4);
}
