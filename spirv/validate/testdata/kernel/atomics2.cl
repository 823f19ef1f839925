kernel void atomics2(global atomic_int *a, global atomic_uint *u, global int *out, local atomic_int *l) {
  atomic_store_explicit(l, 0, memory_order_relaxed, memory_scope_work_group);
  work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
  int x = atomic_fetch_add_explicit(a, 1, memory_order_acq_rel, memory_scope_device);
  int want = 3;
  if (atomic_compare_exchange_strong_explicit(a + 1, &want, x, memory_order_acquire, memory_order_relaxed, memory_scope_device)) x += atomic_load_explicit(a, memory_order_acquire, memory_scope_device);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
  out[get_global_id(0)] = x + atomic_exchange_explicit(u, 4u, memory_order_relaxed, memory_scope_device) + atomic_fetch_max_explicit(l, x, memory_order_relaxed, memory_scope_work_group);
}
