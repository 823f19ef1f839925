#version 450
// Nine points straight from memory, one element a thread.
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) readonly buffer I { float a[]; };
layout(set = 0, binding = 1) writeonly buffer O { float o[]; };
layout(push_constant) uniform P { int n; };
void main() {
    int i = int(gl_GlobalInvocationID.y) + 1, j = int(gl_GlobalInvocationID.x) + 1;
    if (i < n - 1 && j < n - 1) {
        int at = i * n + j;
        o[at] = 0.5 * a[at] + 0.1 * (a[at - n] + a[at + n] + a[at + 1] + a[at - 1]) +
            0.025 * (a[at - n - 1] + a[at - n + 1] + a[at + n - 1] + a[at + n + 1]);
    }
}
