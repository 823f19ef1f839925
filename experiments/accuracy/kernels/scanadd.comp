#version 450
// Adds to each 512 elements the sum of what is before them.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer D { float data[]; };
layout(set = 0, binding = 1) readonly buffer S { float sums[]; };
void main() {
    uint t = gl_LocalInvocationID.x, g = gl_WorkGroupID.x;
    if (g > 0u) {
        float sum = sums[g];
        data[g * 512u + t] += sum;
        data[g * 512u + t + 256u] += sum;
    }
}
