kernel void ids(global uint *a) {
  uint i = get_global_id(0) + get_global_size(0) * get_global_id(1) + get_global_offset(2) + get_work_dim();
  a[i] = get_num_groups(0) + get_group_id(1) + get_local_id(2) + get_local_size(0);
}
