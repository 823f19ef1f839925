#version 450

// Reads a word of each line, so that the caches behind the L2 hold them.
layout(local_size_x = 64) in;

layout(set = 0, binding = 0) readonly buffer Next { uint next[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uint last[]; };
layout(push_constant) uniform Push { uint words; };

void main() {
    uint at = gl_GlobalInvocationID.x * 32;
    if (at < words && next[at] == 0) {
        last[0] = at;
    }
}
