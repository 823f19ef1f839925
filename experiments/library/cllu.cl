// LU decomposition in place without pivoting, by blocks, right-looking: for each block on the diagonal, factor it, solve
// the panels right of and below it, and subtract their product from the rest.
#define BLOCK 16

// dominate adds to the diagonal, so that no pivoting is needed.
kernel void dominate(global float *a, int n, float amount)
{
    const int i = get_global_id(0);
    if (i < n)
        a[i * n + i] += amount;
}

kernel __attribute__((reqd_work_group_size(BLOCK, BLOCK, 1)))
void factor(global float *a, int n, int step)
{
    local float block[BLOCK][BLOCK + 1];
    const int x = get_local_id(0), y = get_local_id(1), corner = step * BLOCK * (n + 1);
    block[y][x] = a[corner + y * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < BLOCK - 1; k++) {
        if (y > k && x == k)
            block[y][k] /= block[k][k];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (y > k && x > k)
            block[y][x] -= block[y][k] * block[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[corner + y * n + x] = block[y][x];
}

// panels solves a block of U right of the diagonal (dimension 1 of the grid: 0) or of L below it (1), a work-item a
// column or a row.
kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void panels(global float *a, int n, int step)
{
    local float pivot[BLOCK][BLOCK + 1];
    const int lane = get_local_id(0), corner = step * BLOCK * (n + 1);
    const int away = BLOCK * (1 + get_group_id(0));
    const bool below = get_group_id(1) == 1;
    for (int y = 0; y < BLOCK; y++)
        pivot[y][lane] = a[corner + y * n + lane];
    barrier(CLK_LOCAL_MEM_FENCE);

    float line[BLOCK];
    global float *block = a + corner + (below ? away * n + lane * n : away + lane);
    const int pitch = below ? 1 : n;
    for (int i = 0; i < BLOCK; i++)
        line[i] = block[i * pitch];
    for (int i = 0; i < BLOCK; i++) {
        float value = line[i];
        for (int k = 0; k < i; k++)
            value -= line[k] * (below ? pivot[k][i] : pivot[i][k]);
        line[i] = below ? value / pivot[i][i] : value;
    }
    for (int i = 0; i < BLOCK; i++)
        block[i * pitch] = line[i];
}

kernel __attribute__((reqd_work_group_size(BLOCK, BLOCK, 1)))
void subtract(global float *a, int n, int step)
{
    local float left[BLOCK][BLOCK + 1], above[BLOCK][BLOCK + 1];
    const int x = get_local_id(0), y = get_local_id(1), first = (step + 1) * BLOCK;
    const int column = first + get_global_id(0), row = first + get_global_id(1);
    left[y][x] = a[row * n + step * BLOCK + x];
    above[y][x] = a[(step * BLOCK + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int k = 0; k < BLOCK; k++)
        sum = mad(left[y][k], above[k][x], sum);
    a[row * n + column] -= sum;
}
