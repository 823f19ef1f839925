#version 450
// Buffers of three sets; the middle one has a uniform buffer.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) readonly buffer A { uint a[]; };
layout(set = 1, binding = 0) uniform B { uvec4 b; };
layout(set = 1, binding = 1) readonly buffer C { uint c[]; };
layout(set = 3, binding = 0) writeonly buffer D { uint d[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    d[i] = a[i] + 1000 * b.y + 100000 * c[i] + a.length() * 10000000;
}
