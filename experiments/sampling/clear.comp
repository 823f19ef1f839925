#version 450

// Every vertex is as far away as can be.
layout(local_size_x = 64) in;

layout(set = 0, binding = 2) writeonly buffer Distance { uint far[]; };

void main() {
    far[gl_GlobalInvocationID.x] = 0xffffffffu;
}
