// Sparse matrix in compressed rows times vector: 32 work-items share a row, and add their partial sums in local memory.
#define LANES 32
#define ROWS 8

kernel __attribute__((reqd_work_group_size(LANES, ROWS, 1)))
void spmv(global const uint *restrict starts, global const uint *restrict columns, global const float *restrict values,
          global const float *restrict x, global float *restrict y, uint rows)
{
    local float partial[ROWS][LANES];
    const uint lane = get_local_id(0), slot = get_local_id(1);
    const uint row = get_global_id(1);

    float sum = 0.0f;
    if (row < rows)
        for (uint i = starts[row] + lane; i < starts[row + 1]; i += LANES)
            sum = mad(values[i], x[columns[i]], sum);
    partial[slot][lane] = sum;

    for (uint width = LANES / 2; width > 0; width >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < width)
            partial[slot][lane] += partial[slot][lane + width];
    }
    if (lane == 0 && row < rows)
        y[row] = partial[slot][0];
}
