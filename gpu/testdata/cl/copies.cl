// Asynchronous copies between global and local memory.
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void both_ways(global const float4 *in, global float4 *out) {
    local float4 tile[100];
    const size_t start = 100 * get_group_id(0);
    event_t e = async_work_group_copy(tile, in + start, 100, 0);
    wait_group_events(1, &e);
    for (int k = get_local_id(0); k < 100; k += 64)
        tile[k] *= 2.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out + start, tile, 100, 0);
    wait_group_events(1, &e);
}

kernel __attribute__((reqd_work_group_size(64, 1, 1))) void strided(global const int *in, global int *out) {
    local int tile[128];
    const size_t group = get_group_id(0);
    event_t e[2];
    e[0] = async_work_group_strided_copy(tile, in + 384 * group, 64, 3, 0);
    e[1] = async_work_group_strided_copy(tile + 64, in + 384 * group + 192, 64, 3, 0);
    wait_group_events(2, e);
    const int lane = get_local_id(0);
    prefetch(in, 4);
    out[64 * group + lane] = tile[lane] - tile[127 - lane];
}

kernel __attribute__((reqd_work_group_size(64, 1, 1))) void bytes(global const uchar *in, global uchar *out) {
    local uchar tile[200];
    event_t e = async_work_group_copy(tile, in + 200 * get_group_id(0) + 1, 199, 0);
    wait_group_events(1, &e);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = get_local_id(0); k < 199; k += 64)
        out[200 * get_group_id(0) + k] = tile[198 - k];
}
