#version 450

// y = A * x for a sparse matrix in compressed rows, one invocation a row: rows of different length diverge, and the columns gather.
layout(local_size_x = 64) in;

layout(set = 0, binding = 0) readonly buffer Starts { uint starts[]; };
layout(set = 0, binding = 1) readonly buffer Columns { uint columns[]; };
layout(set = 0, binding = 2) readonly buffer Values { float values[]; };
layout(set = 0, binding = 3) readonly buffer X { float x[]; };
layout(set = 0, binding = 4) writeonly buffer Y { float y[]; };

void main() {
    uint row = gl_GlobalInvocationID.x;
    if (row >= uint(y.length())) {
        return;
    }
    float sum = 0.0;
    uint end = starts[row + 1];
    for (uint i = starts[row]; i < end; i++) {
        sum += values[i] * x[columns[i]];
    }
    y[row] = sum;
}
