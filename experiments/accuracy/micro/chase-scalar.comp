#version 450

// A chain of dependent loads, the same in all lanes, so through the scalar cache.
layout(local_size_x = 32) in;

layout(set = 0, binding = 0) readonly buffer Next { uint next[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uint last[]; };
layout(push_constant) uniform Push { uint start, steps; };

void main() {
    uint at = start;
    for (uint i = 0; i < steps; i++) {
        at = next[at];
    }
    last[gl_LocalInvocationID.x] = at;
}
