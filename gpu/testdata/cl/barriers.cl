// Barriers and fences; local memory of kernels and of arguments.
kernel void reversed(global const int *in, global int *out, local int *tile, local char *flags) {
    const int i = get_global_id(0), lane = get_local_id(0), size = get_local_size(0);
    for (int round = 0; round < 3; round++) {
        tile[lane] = in[i] + round;
        flags[lane] = in[i] & 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[3 * i + round] = tile[size - 1 - lane] * (flags[(lane + round) % size] ? 3 : 1);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void reduced(global const int *in, global int *out) {
    local int sums[256];
    const int lane = get_local_id(0);
    sums[lane] = in[get_global_id(0)];
    for (int width = 128; width > 0; width >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < width)
            sums[lane] += sums[lane + width];
    }
    if (lane == 0)
        out[get_group_id(0)] = sums[0];
}

kernel void fenced(global int *data, volatile global int *ready, global int *out) {
    const int i = get_global_id(0);
    data[i] = 3 * i;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    atomic_or(&ready[i], 1);
    read_mem_fence(CLK_GLOBAL_MEM_FENCE);
    write_mem_fence(CLK_LOCAL_MEM_FENCE);
    out[i] = data[i] + ready[i];
}

kernel __attribute__((reqd_work_group_size(64, 1, 1))) void through_global(global int *data, global int *out) {
    const int i = get_global_id(0), lane = get_local_id(0);
    data[i] = i * i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = data[i - lane + (63 - lane)];
}
