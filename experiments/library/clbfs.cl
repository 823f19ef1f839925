// One level of a breadth-first search over a graph in compressed rows. A work-item expands a vertex of the frontier; the
// vertices that it reaches first go to the next frontier by way of a queue in local memory.
#define UNSEEN 0xffffffffu
#define QUEUE 512

typedef struct {
    uint level;    // of the vertices of the frontier
    uint capacity; // of a frontier
} search;

kernel void expand(global const uint *restrict starts, global const uint *restrict edges, volatile global uint *distance,
                   global const uint *restrict frontier, global uint *restrict next, volatile global uint *counts, search s)
{
    local uint queue[QUEUE];
    local uint queued, base;
    if (get_local_id(0) == 0)
        queued = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint size = counts[s.level];
    for (uint i = get_global_id(0); i < size; i += get_global_size(0)) {
        const uint vertex = frontier[i];
        const uint end = starts[vertex + 1];
        for (uint e = starts[vertex]; e < end; e++) {
            const uint reached = edges[e];
            if (distance[reached] != UNSEEN)
                continue;
            if (atomic_cmpxchg(&distance[reached], UNSEEN, s.level + 1) != UNSEEN)
                continue;
            const uint at = atomic_inc(&queued);
            if (at < QUEUE) {
                queue[at] = reached;
            } else { // the local queue is full
                const uint slot = atomic_inc(&counts[s.level + 1]);
                if (slot < s.capacity)
                    next[slot] = reached;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint n = min(queued, (uint)QUEUE);
    if (n == 0)
        return;
    if (get_local_id(0) == 0)
        base = atomic_add(&counts[s.level + 1], n);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i < n; i += get_local_size(0))
        if (base + i < s.capacity)
            next[base + i] = queue[i];
}
