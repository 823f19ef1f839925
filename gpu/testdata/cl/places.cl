// Where a work-item is.
kernel void places(global uint *out, uint width, uint height) {
    const size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1), z = get_global_id(2) - get_global_offset(2);
    global uint *o = out + 12 * ((z * height + y) * width + x);
    o[0] = get_global_id(0) + 100 * get_global_id(1) + 10000 * get_global_id(2);
    o[1] = get_local_id(0) + 100 * get_local_id(1) + 10000 * get_local_id(2);
    o[2] = get_group_id(0) + 100 * get_group_id(1) + 10000 * get_group_id(2);
    o[3] = get_local_size(0) + 100 * get_local_size(1) + 10000 * get_local_size(2);
    o[4] = get_num_groups(0) + 100 * get_num_groups(1) + 10000 * get_num_groups(2);
    o[5] = get_global_size(0) + 100 * get_global_size(1) + 10000 * get_global_size(2);
    o[6] = get_global_offset(0) + 100 * get_global_offset(1) + 10000 * get_global_offset(2);
    o[7] = get_work_dim();
    o[8] = x + y + z;
    const uint d = (x + y + z) % 3;
    o[9] = get_global_id(d);
    o[10] = get_local_size(d) + 100 * get_group_id(d);
    o[11] = 7;
}

kernel void counted(volatile global uint *count, global uint *out) {
    local uint here;
    if (get_local_id(0) == 0)
        here = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&here);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(count);
    out[get_global_id(0)] = here;
}
