#version 450
#extension GL_KHR_memory_scope_semantics : require

// The Koch snowflake of graph "koch" without a graph: workgroups that stay, and two queues in memory, of edges to split and
// of edges to write. Some workgroups write, the others split. Each queue is cut into shards of its own head, tail and slots; a
// lane looks for an edge in one shard after the other, and the lanes of a wave in different ones, so no more of them take
// part than there are shards. An edge is taken by a compare and swap of the head, and four are put by an addition to the tail.
// A slot is used once: no shard goes round.
layout(local_size_x = 32) in;

layout(constant_id = 0) const uint depth = 4;    // times that an edge is split
layout(constant_id = 1) const uint shards = 256; // of each queue
layout(constant_id = 2) const uint writers = 24; // workgroups
layout(constant_id = 3) const uint slots = 64;   // of a shard
layout(constant_id = 4) const uint probes = 2;   // shards looked at before a lane asks whether all is done

struct Edge { vec2 from; vec2 to; uint number; uint level; };
struct Shard { uint head; uint tail; uint unused[30]; }; // a cache line of 128 bytes

layout(set = 0, binding = 0) writeonly buffer Vertices { vec2 vertices[]; };
layout(set = 0, binding = 1) coherent buffer Shards { Shard shard[]; };
layout(set = 0, binding = 2) coherent buffer Edges { Edge edges[]; };
layout(set = 0, binding = 3) coherent buffer Flags { uint full[]; }; // of each slot: its edge is there
layout(set = 0, binding = 4) coherent buffer Counts { uint done[2]; }; // edges split and edges written

const uint toSplit = 0, toWrite = 1;

// What stands behind a load sees what others stored before they stored what it finds.
#define LOAD(x) atomicLoad(x, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire)

// put writes an edge to a slot, and then says so.
void put(uint slot, Edge e) {
    edges[slot] = e;
    atomicStore(full[slot], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
}

// reserve takes n slots at the end of a shard.
uint reserve(uint s, uint n) { return s * slots + atomicAdd(shard[s].tail, n); }

// split spreads edges over the shards by their number.
void split(Edge e) {
    precise vec2 third = (e.to - e.from) * 0.33333334;
    precise vec2 one = e.from + third;
    precise vec2 two = e.to - third;
    precise float xc = third.x * 0.5;
    precise float ys = third.y * -0.8660254;
    precise float xs = third.x * -0.8660254;
    precise float yc = third.y * 0.5;
    precise vec2 tip = one + vec2(xc - ys, xs + yc);
    uint level = e.level + 1, number = 4 * e.number;
    uint first = reserve((level < depth ? toSplit : toWrite) * shards + e.number % shards, 4);
    put(first, Edge(e.from, one, number, level));
    put(first + 1, Edge(one, tip, number + 1, level));
    put(first + 2, Edge(tip, two, number + 2, level));
    put(first + 3, Edge(two, e.to, number + 3, level));
}

void write(Edge e) {
    vertices[2 * e.number] = e.from;
    vertices[2 * e.number + 1] = e.to;
}

// seed puts the triangle's edges into the first shard.
void seed() {
    vec2 a = vec2(0.0), b = vec2(1.0, 0.0), c = vec2(0.5, 0.8660254);
    uint first = reserve(0, 3);
    put(first, Edge(a, b, 0, 0));
    put(first + 1, Edge(b, c, 1, 0));
    put(first + 2, Edge(c, a, 2, 0));
}

void main() {
    uint lanes = min(32, shards), lane = gl_LocalInvocationIndex;
    if (lane >= lanes) {
        return;
    }
    uint at = lane;
    uint queue = gl_WorkGroupID.x < writers ? toWrite : toSplit;
    uint all = queue == toWrite ? 3u << 2 * depth : (1u << 2 * depth) - 1;
    if (gl_GlobalInvocationID.x == 0) {
        seed();
    }
    uint tries = 0;
    while (true) {
        uint s = queue * shards + at;
        uint head = LOAD(shard[s].head);
        uint tail = LOAD(shard[s].tail);
        if (head < tail && atomicCompSwap(shard[s].head, head, head + 1) == head) {
            uint slot = s * slots + head;
            while (LOAD(full[slot]) == 0) {
            }
            if (queue == toWrite) {
                write(edges[slot]);
            } else {
                split(edges[slot]);
            }
            if (atomicAdd(done[queue], 1, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease) + 1 == all) {
                break;
            }
            tries = 0;
        } else if (++tries % probes == 0 && LOAD(done[queue]) == all) {
            break;
        }
        at = at + 1 == shards ? 0 : at + 1;
    }
}
