#version 450
// Each invocation changes one word by what another one holds, after some arithmetic.
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Words { uint word[]; };
layout(push_constant) uniform Push { uint source; uint target; uint rounds; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    uint v = word[source + i];
    for (uint r = 0; r < rounds; r++) v = v * 1664525u + 1013904223u;
    word[target + i] = word[target + i] * 3u + v;
}
