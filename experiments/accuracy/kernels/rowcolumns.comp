#version 450
// The columns of a sparse matrix with a band beside its diagonal: row i has the columns i, i + 1, ... (mod rows).
layout(local_size_x = 256) in;
layout(set = 0, binding = 2) writeonly buffer Columns { int columns[]; };
layout(push_constant) uniform Push { uint rows; uint each; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < rows * each) columns[i] = int((i / each + i % each) % rows);
}
