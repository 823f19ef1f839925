#version 450
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
// Reads and writes of LDS of each width, or atomics, with a stride between lanes.
layout(constant_id = 0) const uint KIND = 0;
layout(local_size_x_id = 1) in;

layout(set = 0, binding = 0) buffer Sink { uint sink[]; };
layout(push_constant) uniform Push { uint stride; uint rounds; };

shared uvec4 quads[1024];
shared uvec2 pairs[1024];
shared uint words[1024];
shared uint64_t wide[1024];

void main() {
    uint at = gl_LocalInvocationIndex * stride & 1023, sum = 0;
    for (uint r = 0; r < rounds; r++) {
        if (KIND == 0) { uint v = words[at]; words[at] = v + sum; sum += v; at += v; }
        if (KIND == 1) { uvec2 v = pairs[at]; pairs[at] = v + sum; sum += v.y; at += v.x; }
        if (KIND == 2) { uvec3 v = quads[at].xyz; quads[at].xyz = v + sum; sum += v.z; at += v.x + v.y; }
        if (KIND == 3) { uvec4 v = quads[at]; quads[at] = v + sum; sum += v.z; at += v.x + v.y + v.w; }
        if (KIND == 4) at += atomicAdd(words[at], 0);
        if (KIND == 5) at += uint(atomicAdd(wide[at], 0ul));
        if (KIND == 6) at += atomicCompSwap(words[at], 1u, 0u);
        if (KIND == 7) at += uint(atomicCompSwap(wide[at], 1ul, 0ul));
        barrier();
    }
    sink[gl_GlobalInvocationID.x] = sum + at;
}
