#version 450
// Nodes that now have a distance, and had none, are the next frontier.
layout(local_size_x = 256) in;
layout(set = 0, binding = 2) buffer F { int frontier[]; };
layout(set = 0, binding = 3) readonly buffer C { int cost[]; };
layout(set = 0, binding = 4) buffer V { int visited[]; };
layout(set = 0, binding = 5) writeonly buffer G { int more[]; };
layout(push_constant) uniform P { int n; };
void main() {
    int i = int(gl_GlobalInvocationID.x);
    if (i < n) {
        frontier[i] = 0;
        if (visited[i] == 0 && cost[i] >= 0) {
            visited[i] = 1;
            frontier[i] = 1;
            more[0] = 1;
        }
    }
}
