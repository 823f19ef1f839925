#version 450

// One step of list ranking by pointer jumping: each element adds the rank of the one that it points to, and points on to where that points.
// Elements of a step are in one half of the buffers, what comes of them in the other.
layout(local_size_x = 64) in;

layout(set = 0, binding = 0) buffer Next { uint next[]; };
layout(set = 0, binding = 1) buffer Rank { uint rank[]; };
layout(push_constant) uniform Push { uint n; uint from; };

void main() {
    uint i = gl_GlobalInvocationID.x, to = n - from;
    uint at = next[from + i] & (n - 1);
    rank[to + i] = rank[from + i] + rank[from + at];
    next[to + i] = next[from + at];
}
