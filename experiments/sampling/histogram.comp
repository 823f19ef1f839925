#version 450

// Counts keys: an atomic of each lane on its bin in memory.
layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly buffer Keys { uint keys[]; };
layout(set = 0, binding = 1) buffer Bins { uint bins[]; };

void main() {
    atomicAdd(bins[keys[gl_GlobalInvocationID.x] & 255], 1u);
}
