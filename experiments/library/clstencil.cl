// A step of Jacobi's iteration for heat in a plate: each inner point becomes the mean of its four neighbours. Workgroups
// stage their tile with a halo in local memory. The plate need not be a multiple of the tile.
#define TILE 16

kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void jacobi(global const float *restrict from, global float *restrict to, int width, int height)
{
    local float tile[TILE + 2][TILE + 2];
    const int x = get_global_id(0), y = get_global_id(1);
    const int column = get_local_id(0) + 1, row = get_local_id(1) + 1;
    const bool inside = x < width && y < height;

    if (inside) {
        tile[row][column] = from[y * width + x];
        if (column == 1 && x > 0)
            tile[row][0] = from[y * width + x - 1];
        if (column == TILE && x + 1 < width)
            tile[row][TILE + 1] = from[y * width + x + 1];
        if (row == 1 && y > 0)
            tile[0][column] = from[(y - 1) * width + x];
        if (row == TILE && y + 1 < height)
            tile[TILE + 1][column] = from[(y + 1) * width + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!inside)
        return;

    float value = tile[row][column];
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
        value = 0.25f * (tile[row][column - 1] + tile[row][column + 1] + tile[row - 1][column] + tile[row + 1][column]);
    to[y * width + x] = value;
}
