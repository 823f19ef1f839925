#version 450
// A load of one buffer in some lanes, of another in the others.
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer A { uint a[]; };
layout(set = 0, binding = 1) readonly buffer B { uint b[]; };
layout(set = 0, binding = 2) writeonly buffer Sink { uint sink[]; };

void main() {
    uint i = gl_LocalInvocationIndex, x;
    if ((i & 1) != 0) x = a[i]; else x = b[i];
    sink[i] = x;
}
