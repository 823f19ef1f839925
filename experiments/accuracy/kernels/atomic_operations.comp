#version 450
// All threads add to one counter: a compiler merges those of a wave of 64 into one atomic, as here.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer C { uint counter; };
layout(push_constant) uniform P { uint adds; };
void main() {
    if (gl_LocalInvocationID.x % 64u == 0u) {
        for (uint i = 0u; i < adds; i++) {
            atomicAdd(counter, 64u);
        }
    }
}
