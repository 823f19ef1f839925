#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_vote : require

// Inclusive prefix sum in one launch (Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016).
// A workgroup takes the next part of 1024 numbers by ticket, publishes its sum, and one subgroup looks back over the parts before
// it, a window of a subgroup at a time, until it meets a part whose whole prefix is known.
layout(local_size_x = 256) in;

const uint EMPTY = 0;
const uint SUM = 1;
const uint PREFIX = 2;

struct Part {
    uint state;
    uint sum;
    uint prefix;
};

layout(set = 0, binding = 0) readonly buffer Source { uvec4 source[]; };
layout(set = 0, binding = 1) writeonly buffer Target { uvec4 target[]; };
layout(set = 0, binding = 2) buffer Ticket { uint next; };
layout(set = 0, binding = 3) devicecoherent buffer Parts { Part parts[]; };

shared uint ticket;
shared uint before;
shared uint subgroups[256];

uint look(uint part) {
    return atomicLoad(parts[part].state, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
}

void publish(uint part, uint state) {
    atomicStore(parts[part].state, state, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
}

// The sum of all parts before this one; every invocation of one subgroup calls it.
uint lookBack(uint part) {
    uint prefix = 0;
    int window = int(part) - 1;
    while (window >= 0) {
        int mine = window - int(gl_SubgroupInvocationID);
        uint state = PREFIX;
        if (mine >= 0) {
            state = look(uint(mine));
        }
        if (subgroupAny(state == EMPTY)) {
            continue;
        }
        uvec4 known = subgroupBallot(state == PREFIX);
        bool found = subgroupAny(state == PREFIX);
        uint nearest = found ? subgroupBallotFindLSB(known) : gl_SubgroupSize - 1;
        uint value = 0;
        if (mine >= 0 && gl_SubgroupInvocationID <= nearest) {
            value = state == PREFIX ? parts[mine].prefix : parts[mine].sum;
        }
        prefix += subgroupAdd(value);
        if (found) {
            break;
        }
        window -= int(gl_SubgroupSize);
    }
    return prefix;
}

void main() {
    if (gl_LocalInvocationIndex == 0) {
        ticket = atomicAdd(next, 1u);
    }
    barrier();
    uint part = ticket;

    uint at = part * 256 + gl_LocalInvocationIndex;
    uvec4 v = source[at];
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    uint upTo = subgroupInclusiveAdd(v.w);
    if (gl_SubgroupInvocationID == gl_SubgroupSize - 1) {
        subgroups[gl_SubgroupID] = upTo;
    }
    barrier();

    if (gl_SubgroupID == 0) {
        uint mine = gl_SubgroupInvocationID < gl_NumSubgroups ? subgroups[gl_SubgroupInvocationID] : 0;
        uint through = subgroupInclusiveAdd(mine);
        uint sum = subgroupBroadcast(through, gl_SubgroupSize - 1);
        if (subgroupElect()) {
            if (part == 0) {
                parts[part].prefix = sum;
                publish(part, PREFIX);
            } else {
                parts[part].sum = sum;
                publish(part, SUM);
            }
        }
        uint prefix = lookBack(part);
        if (subgroupElect()) {
            if (part != 0) {
                parts[part].prefix = prefix + sum;
                publish(part, PREFIX);
            }
            before = prefix;
        }
        subgroups[gl_SubgroupInvocationID] = through - mine;
    }
    barrier();

    uint offset = before + subgroups[gl_SubgroupID] + upTo - v.w;
    target[at] = v + offset;
}
