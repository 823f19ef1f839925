#version 450
// A quotient.
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) writeonly buffer Sink { float sink[]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    sink[i] = a[i] / a[i + 1];
}
