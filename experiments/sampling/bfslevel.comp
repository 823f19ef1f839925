#version 450

// One level of a breadth-first search: each vertex of that level gives the next one to its neighbours that have none yet. Where two
// have a neighbour in common they write the same.
layout(local_size_x = 64) in;

layout(set = 0, binding = 0) readonly buffer Starts { uint starts[]; };
layout(set = 0, binding = 1) readonly buffer Edges { uint edges[]; };
layout(set = 0, binding = 2) buffer Distance { uint far[]; };
layout(push_constant) uniform Push { uint root; uint level; };

void main() {
    uint v = gl_GlobalInvocationID.x;
    if (level == 0 && v == root) {
        far[v] = 0;
    }
    if (far[v] != level) {
        return;
    }
    uint end = starts[v + 1];
    for (uint e = starts[v]; e < end; e++) {
        uint to = edges[e];
        if (far[to] == 0xffffffffu) {
            far[to] = level + 1;
        }
    }
}
