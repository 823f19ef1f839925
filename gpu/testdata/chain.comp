#version 450

// Each workgroup waits for the one before it.
layout(local_size_x = 64) in;

layout(set = 0, binding = 0) buffer A { uint done[]; };

void main() {
    uint group = gl_WorkGroupID.x;
    if (gl_LocalInvocationIndex == 0) {
        while (atomicOr(done[group], 0u) == 0u) {
        }
        atomicOr(done[group + 1], done[0]);
    }
}
