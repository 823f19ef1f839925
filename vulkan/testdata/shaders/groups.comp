#version 450
// The last workgroup's size of the dispatch, and how many invocations ran.
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Out { uvec3 groups; uint ran; };
void main() {
    groups = gl_NumWorkGroups;
    atomicAdd(ran, 1);
}
