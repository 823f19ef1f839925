// options: -cl-std=CL2.0
// OpenCL C 2.0: atomics with orders and scopes, functions of work-groups, pointers of the generic address space.
kernel void ordered(global const int *in, volatile global atomic_int *cells, global int *out) {
    local atomic_uint here;
    const int i = get_global_id(0);
    if (get_local_id(0) == 0)
        atomic_init(&here, 5u);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(&here, 2u, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_max_explicit(&cells[1], in[i], memory_order_relaxed, memory_scope_device);
    atomic_fetch_min(&cells[2], in[i]);
    atomic_fetch_xor_explicit(&cells[3], in[i], memory_order_acq_rel, memory_scope_device);
    atomic_fetch_or(&cells[4], in[i] & 0xff);
    atomic_fetch_and(&cells[5], in[i] | 0xf);
    atomic_fetch_sub(&cells[0], in[i]);
    int expected = 0;
    if (atomic_compare_exchange_strong_explicit(&cells[6], &expected, i + 1, memory_order_acq_rel, memory_order_acquire, memory_scope_device))
        atomic_fetch_add(&cells[7], 1);
    else if (expected == 0)
        atomic_fetch_add(&cells[8], 1);
    atomic_store_explicit(&cells[9], 9, memory_order_release, memory_scope_device);
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
    out[i] = atomic_load_explicit(&here, memory_order_acquire, memory_scope_work_group);
}

kernel __attribute__((reqd_work_group_size(128, 1, 1))) void of_groups(global const int *in, global int *out) {
    const int i = get_global_id(0), v = in[i];
    out[8 * i] = work_group_reduce_add(v);
    out[8 * i + 1] = work_group_reduce_max(v);
    out[8 * i + 2] = work_group_reduce_min(v);
    out[8 * i + 3] = work_group_scan_inclusive_add(v);
    out[8 * i + 4] = work_group_scan_exclusive_add(v);
    out[8 * i + 5] = work_group_broadcast(v, 77);
    out[8 * i + 6] = work_group_any(v > 990) + 2 * work_group_all(v > -999);
    out[8 * i + 7] = work_group_scan_inclusive_max(v);
}

static int next_of(int *p) { return ++*p; }

kernel void generic_pointers(global int *out) {
    local int tile[64];
    const int i = get_global_id(0), lane = get_local_id(0) & 63;
    out[i] = i;
    int own = 3 * i;
    tile[lane] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[lane] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int a = next_of(&own) + next_of(&out[i]);
    out[i] += a + own;
}

kernel void linear(global int *out, int width) {
    const int i = get_global_linear_id();
    out[i] = get_local_linear_id() + 1000 * get_enqueued_local_size(0) + (i == (int)(get_global_id(1) - get_global_offset(1)) * width + (int)(get_global_id(0) - get_global_offset(0)) ? 0 : 1000000);
}
