// Needleman-Wunsch: scores of the best alignments of all prefixes of two sequences. A launch does one diagonal of tiles,
// a workgroup one tile, in which work-items follow the diagonals.
#define TILE 16

// The scores of substitutions, as of a purine for a purine (transition) and for a pyrimidine (transversion): A C G T.
constant char substitution[4][4] = {{2, -2, -1, -2}, {-2, 2, -2, -1}, {-1, -2, 2, -2}, {-2, -1, -2, 2}};

// edges fills the first row and column, where one sequence is aligned with gaps alone.
kernel void edges(global int *score, int n, int gap)
{
    const int i = get_global_id(0);
    if (i > n)
        return;
    score[i] = -gap * i;
    score[i * (n + 1)] = -gap * i;
}

kernel __attribute__((reqd_work_group_size(TILE, 1, 1)))
void align_tiles(global int *score, global const uchar *restrict a, global const uchar *restrict b, int n, int gap, int diagonal)
{
    local int tile[TILE + 1][TILE + 1];
    local uchar across[TILE], down[TILE];
    const int lane = get_local_id(0);
    const int tiles = n / TILE;
    const int column = max(0, diagonal - tiles + 1) + (int)get_group_id(0), row = diagonal - column;
    const int left = column * TILE, top = row * TILE, pitch = n + 1;

    across[lane] = a[left + lane] & 3;
    down[lane] = b[top + lane] & 3;
    tile[0][lane + 1] = score[top * pitch + left + lane + 1];
    tile[lane + 1][0] = score[(top + lane + 1) * pitch + left];
    if (lane == 0)
        tile[0][0] = score[top * pitch + left];
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int step = 0; step < 2 * TILE - 1; step++) {
        const int y = step - lane;
        if (y >= 0 && y < TILE) {
            const int matched = tile[y][lane] + substitution[across[lane]][down[y]];
            const int skipped = max(tile[y + 1][lane], tile[y][lane + 1]) - gap;
            tile[y + 1][lane + 1] = max(matched, skipped);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (int y = 0; y < TILE; y++)
        score[(top + y + 1) * pitch + left + lane + 1] = tile[y + 1][lane + 1];
}
