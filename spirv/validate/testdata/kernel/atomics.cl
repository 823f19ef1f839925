#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void atomics(volatile global int *a, volatile local uint *l, volatile global float *f, volatile global long *q) {
  atomic_add(a, 1); atomic_sub(a + 1, 2); atomic_inc(a + 2); atomic_dec(a + 3);
  atomic_min(a + 4, -5); atomic_max(a + 5, 5); atomic_and(a + 6, 6); atomic_or(a + 7, 7); atomic_xor(a + 8, 8);
  a[9] = atomic_xchg(a + 10, 3); a[11] = atomic_cmpxchg(a + 12, 1, 2);
  f[1] = atomic_xchg(f, 2.0f);
  atomic_max(l, 4u); atomic_min(l, 3u); atom_add(q, 5L);
  mem_fence(CLK_GLOBAL_MEM_FENCE); write_mem_fence(CLK_LOCAL_MEM_FENCE);
}
