#version 450
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly buffer D { uint data[]; };
layout(set = 0, binding = 1) buffer H { uint hist[]; };
layout(push_constant) uniform P { uint n; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < n) {
        atomicAdd(hist[data[i] & 255u], 1u);
    }
}
