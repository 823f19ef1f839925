// Radix sort by four bits a pass. sort_blocks sorts each workgroup's keys by the digit, by four splits in local memory,
// and counts digits; scan_counts makes places of the counts, ordered by digit and then block; scatter moves the keys.
#define GROUP 256
#define DIGITS 16

// rank_of returns how many work-items before this one have the flag set, and their number in total.
static uint rank_of(uint flag, local uint *sums, uint lane, uint *total)
{
    sums[lane] = flag;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint offset = 1; offset < GROUP; offset <<= 1) {
        const uint before = lane >= offset ? sums[lane - offset] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[lane] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const uint rank = sums[lane] - flag;
    *total = sums[GROUP - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    return rank;
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void sort_blocks(global const uint *restrict keys, global uint *restrict sorted, global uint *restrict counts, uint shift)
{
    local uint block[GROUP], sums[GROUP], digits[DIGITS];
    const uint lane = get_local_id(0);
    uint key = keys[get_global_id(0)];
    if (lane < DIGITS)
        digits[lane] = 0;

    for (uint bit = shift; bit < shift + 4; bit++) {
        const uint zero = ~(key >> bit) & 1;
        uint zeros;
        const uint rank = rank_of(zero, sums, lane, &zeros);
        block[zero ? rank : zeros + lane - rank] = key;
        barrier(CLK_LOCAL_MEM_FENCE);
        key = block[lane];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sorted[get_global_id(0)] = key;
    atomic_inc(&digits[(key >> shift) & (DIGITS - 1)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < DIGITS)
        counts[lane * get_num_groups(0) + get_group_id(0)] = digits[lane];
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void scan_counts(global uint *counts, uint n)
{
    local uint sums[GROUP];
    const uint lane = get_local_id(0), each = n / GROUP;
    uint own = 0;
    for (uint i = 0; i < each; i++)
        own += counts[lane * each + i];

    sums[lane] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint offset = 1; offset < GROUP; offset <<= 1) {
        const uint before = lane >= offset ? sums[lane - offset] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[lane] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    uint place = sums[lane] - own;
    for (uint i = 0; i < each; i++) {
        const uint count = counts[lane * each + i];
        counts[lane * each + i] = place;
        place += count;
    }
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void scatter(global const uint *restrict sorted, global uint *restrict keys, global const uint *restrict places, uint shift)
{
    local uint first[DIGITS];
    local uchar digits[GROUP];
    const uint lane = get_local_id(0);
    const uint key = sorted[get_global_id(0)];
    const uint digit = (key >> shift) & (DIGITS - 1);
    digits[lane] = digit;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0 || digits[lane - 1] != digit)
        first[digit] = lane;
    barrier(CLK_LOCAL_MEM_FENCE);
    keys[places[digit * get_num_groups(0) + get_group_id(0)] + lane - first[digit]] = key;
}
