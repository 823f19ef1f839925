#version 450
// The kernel that many tests use: words[i] = words[i] * times + plus.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint words[]; };
layout(push_constant) uniform Push { uint times; uint plus; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < words.length()) {
        words[i] = words[i] * times + plus;
    }
}
