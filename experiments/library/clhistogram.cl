// A histogram of bytes: each workgroup counts in local memory, and adds its counts to those in global memory.
#define BINS 256

kernel __attribute__((reqd_work_group_size(BINS, 1, 1)))
void histogram(global const uchar4 *restrict bytes, volatile global uint *bins, uint n)
{
    local uint counts[BINS];
    const uint lane = get_local_id(0);
    counts[lane] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        const uchar4 b = bytes[i];
        atomic_inc(&counts[b.x]);
        atomic_inc(&counts[b.y]);
        atomic_inc(&counts[b.z]);
        atomic_inc(&counts[b.w]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (counts[lane] > 0)
        atomic_add(&bins[lane], counts[lane]);
}
