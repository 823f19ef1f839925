#version 450
// Reads an array of its own before it writes to it: undefined in GLSL, zero here.
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer In { uint at[]; };
layout(set = 0, binding = 1) buffer Out { uint found[]; };
void main() {
    uint own[300];
    uint i = gl_GlobalInvocationID.x;
    found[i] = own[at[i & 31u]];
    for (uint k = 0u; k < 300u; k++)
        own[(k + at[i & 31u]) % 300u] = i * 300u + k + 1u;
    found[i] += own[at[(i + 1u) & 31u]] & 0u;
}
