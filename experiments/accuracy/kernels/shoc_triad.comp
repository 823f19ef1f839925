#version 450
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) writeonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 0, binding = 2) readonly buffer C { float c[]; };
layout(push_constant) uniform P { uint n; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < n) {
        a[i] = b[i] + 1.75 * c[i];
    }
}
