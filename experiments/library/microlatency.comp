#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_AMD_gcn_shader : require
#extension GL_ARB_gpu_shader_int64 : require

// One lane times loads one by one, as caps-tum/mt4g does: a read of the clock, a load whose address is the value of the last one, a read of
// the clock. The clock comes back by way of the scalar cache, so a load that waits for it has that way in its time.
layout(local_size_x = 64) in;

layout(constant_id = 0) const uint kind = 0;

const uint vectorAtOnce = 0;  // the load does not wait for the clock (mt4g: the vector cache)
const uint vectorWaits = 1;   // the load waits for the clock, then for its address (mt4g: what is behind the vector cache)
const uint workgroup = 2;     // likewise, but the clock is read again before the load is done (mt4g: LDS)
const uint scalarAtOnce = 3;  // a scalar load does not wait for the clock (mt4g: the scalar cache)
const uint workgroupChain = 4; // a chain through workgroup memory, the clock read before and after all of it

layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Element { uint64_t next; };
layout(set = 0, binding = 0) readonly buffer Start { uint64_t start[]; };
layout(set = 0, binding = 1) writeonly buffer Result { uint64_t last; uint64_t cycles; };
layout(set = 0, binding = 2) readonly buffer Places { uint places[64]; }; // each has its own number
layout(push_constant) uniform Push { uint before; uint loads; }; // loads that bring the caches into their state; loads that are timed

shared uint order[64];
#define LOAD index = order[index];
#define LOAD8 LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD

void main() {
    uint lane = gl_LocalInvocationIndex, place = places[lane];
    order[lane] = place;
    barrier();
    if (kind != scalarAtOnce && place != 0) {
        return; // chosen by what was loaded, so that no compiler takes the scalar path
    }
    uint index = kind == scalarAtOnce ? 0 : place;
    uint64_t p = start[index], sum = 0;
    if (kind == workgroupChain) {
        uint64_t begin = timeAMD();
        for (uint i = 0; i < loads; i += 16) {
            LOAD8 LOAD8
        }
        last = p + index;
        cycles = timeAMD() - begin;
        return;
    }
    for (uint i = 0; i < before + loads; i++) {
        if (i == before) {
            sum = 0;
        }
        memoryBarrierBuffer();
        uint64_t begin = timeAMD();
        uint high = unpackUint2x32(begin).y; // 0 for the first 2^32 cycles, which no compiler knows
        switch (kind) {
        case vectorAtOnce: p = Element(p).next; break;
        case vectorWaits: p = Element((p + high) << high).next; break;
        case workgroup: index = order[index + high]; break;
        case scalarAtOnce: index = places[index]; break;
        }
        if (kind != workgroup) {
            memoryBarrierBuffer();
        }
        sum += timeAMD() - begin;
    }
    last = p + index;
    cycles = sum;
}
