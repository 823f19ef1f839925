// Exclusive prefix sums in three launches: of each block, after Blelloch, of the blocks' sums, and their addition. Indexes
// into local memory are padded, so that the tree's strides do not share banks.
#define GROUP 256
#define BLOCK (2 * GROUP)
#define PADDED(i) ((i) + ((i) >> 5))

static int scan_local(local int *data, int lane)
{
    int stride = 1;
    for (int active = GROUP; active > 0; active >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < active) {
            const int left = PADDED(stride * (2 * lane + 1) - 1), right = PADDED(stride * (2 * lane + 2) - 1);
            data[right] += data[left];
        }
        stride <<= 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int total = data[PADDED(BLOCK - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0)
        data[PADDED(BLOCK - 1)] = 0;
    for (int active = 1; active <= GROUP; active <<= 1) {
        stride >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < active) {
            const int left = PADDED(stride * (2 * lane + 1) - 1), right = PADDED(stride * (2 * lane + 2) - 1);
            const int moved = data[left];
            data[left] = data[right];
            data[right] += moved;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return total;
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void scan_blocks(global const int *source, global int *target, global int *restrict sums, int n)
{
    local int data[PADDED(BLOCK)];
    const int lane = get_local_id(0), first = BLOCK * get_group_id(0) + lane, second = first + GROUP;
    data[PADDED(lane)] = first < n ? source[first] : 0;
    data[PADDED(lane + GROUP)] = second < n ? source[second] : 0;
    const int total = scan_local(data, lane);
    if (first < n)
        target[first] = data[PADDED(lane)];
    if (second < n)
        target[second] = data[PADDED(lane + GROUP)];
    if (lane == 0 && sums)
        sums[get_group_id(0)] = total;
}

kernel void add_sums(global int *restrict target, global const int *restrict sums, int n)
{
    const int i = get_global_id(0);
    if (i < n)
        target[i] += sums[i / BLOCK];
}
