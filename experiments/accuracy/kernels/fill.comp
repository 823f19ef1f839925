#version 450
// What clearing a buffer takes: zeros, one invocation a word.
layout(local_size_x = 256) in;
layout(set = 0, binding = 4) writeonly buffer Target { uint target[]; };
layout(set = 0, binding = 5) writeonly buffer Second { uint second[]; };
layout(push_constant) uniform Push { uint n; uint which; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= n) return;
    if (which == 0) target[i] = 0; else second[i] = 0;
}
