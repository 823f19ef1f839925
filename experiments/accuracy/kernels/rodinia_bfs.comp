#version 450
// The nodes of the frontier set the distances of their neighbours.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly buffer S { int starts[]; };
layout(set = 0, binding = 1) readonly buffer E { int edges[]; };
layout(set = 0, binding = 2) readonly buffer F { int frontier[]; };
layout(set = 0, binding = 3) buffer C { int cost[]; };
layout(push_constant) uniform P { int n; };
void main() {
    int i = int(gl_GlobalInvocationID.x);
    if (i < n && frontier[i] != 0) {
        for (int e = starts[i]; e < starts[i + 1]; e++) {
            int to = edges[e];
            if (cost[to] < 0) {
                cost[to] = cost[i] + 1;
            }
        }
    }
}
