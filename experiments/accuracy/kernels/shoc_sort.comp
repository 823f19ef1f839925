#version 450
// One pass of a bitonic sort, one element a thread.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer D { uint data[]; };
layout(push_constant) uniform P { uint k, j; };
void main() {
    uint i = gl_GlobalInvocationID.x, p = i ^ j;
    if (p > i) {
        uint a = data[i], b = data[p];
        if ((a > b) == ((i & k) == 0u)) {
            data[i] = b;
            data[p] = a;
        }
    }
}
