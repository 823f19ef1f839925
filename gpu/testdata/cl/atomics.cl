// Atomic operations of OpenCL 1.x on global and local memory. Results are read where their order does not matter.
kernel void global_ints(global const int *in, volatile global int *cells, volatile global uint *unsigned_cells) {
    const int i = get_global_id(0), v = in[i];
    atomic_add(&cells[0], v);
    atomic_sub(&cells[1], v);
    atomic_min(&cells[2], v);
    atomic_max(&cells[3], v);
    atomic_and(&cells[4], v | 0xff00);
    atomic_or(&cells[5], v & 0xff0f);
    atomic_xor(&cells[6], v);
    atomic_inc(&cells[7]);
    atomic_dec(&cells[8]);
    atomic_min(&unsigned_cells[0], (uint)v);
    atomic_max(&unsigned_cells[1], (uint)v);
    atom_add(&unsigned_cells[2], 3);
}

kernel __attribute__((reqd_work_group_size(128, 1, 1))) void local_ints(global const int *in, global int *out) {
    local int cells[8];
    const int i = get_global_id(0), lane = get_local_id(0), v = in[i];
    if (lane < 8)
        cells[lane] = lane == 4 ? -1 : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&cells[0], v);
    atomic_sub(&cells[1], v);
    atomic_min(&cells[2], v);
    atomic_max(&cells[3], v);
    atomic_and(&cells[4], v | 0xff00);
    atomic_or(&cells[5], v & 0xff0f);
    atomic_xor(&cells[6], v);
    atomic_inc(&cells[7]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < 8)
        out[8 * get_group_id(0) + lane] = cells[lane];
}

kernel void unique(volatile global int *counter, global int *marks) {
    marks[atomic_inc(counter)] = 1;
    marks[atomic_add(counter, 1)] += 2;
}

kernel void exchanged(volatile global int *last, volatile global float *real, global int *seen, int n) {
    const int i = get_global_id(0);
    const int before = atomic_xchg(last, i + 1);
    seen[before] = 1;
    atomic_xchg(real, 2.5f);
}

kernel void summed(global const float *in, volatile global float *sum) {
    union { uint u; float f; } was, next;
    do {
        was.f = *sum;
        next.f = was.f + in[get_global_id(0)];
    } while (atomic_cmpxchg((volatile global uint *)sum, was.u, next.u) != was.u);
}

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void wide(global const long *in, volatile global long *cells) {
    const int i = get_global_id(0);
    atom_add(&cells[0], in[i]);
    atom_max(&cells[1], in[i]);
    atom_xor(&cells[2], in[i]);
}
