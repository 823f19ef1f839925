#version 450
// Row lengths of 1 to 19, each once in 19 rows, and for each row one column in each of as many equal parts of the columns.
layout(local_size_x = 256) in;
layout(set = 0, binding = 2) writeonly buffer C { int cols[]; };
layout(set = 0, binding = 3) writeonly buffer R { int starts[]; };
layout(push_constant) uniform P { uint rows; };
uint count(uint row) { return 1u + row % 19u * 7u % 19u; }
void main() {
    uint row = gl_GlobalInvocationID.x;
    if (row > rows) {
        return;
    }
    uint at = row / 19u * 190u;
    for (uint r = row / 19u * 19u; r < row; r++) {
        at += count(r);
    }
    starts[row] = int(at);
    if (row == rows) {
        return;
    }
    uint part = rows / count(row);
    for (uint k = 0u; k < count(row); k++) {
        uint h = (row * 0x9E3779B1u ^ k * 0x85EBCA6Bu) * 0xC2B2AE35u;
        cols[at + k] = int(k * part + (h >> 8) % part);
    }
}
