#version 450
#extension GL_EXT_spirv_intrinsics : require

// Dot products of four bytes, two chains a lane: the peak rate of the format.
layout(local_size_x = 64) in;

layout(constant_id = 0) const int rounds = 1;
layout(set = 0, binding = 0) writeonly buffer Out { int sums[]; };

spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6019, 6018], id = 4450)
int dot4(int p, int q, spirv_literal int format);

void main() {
    int a = int(gl_LocalInvocationID.x);
    int b = int(gl_GlobalInvocationID.x);
    int x = b;
    int y = a;
    for (int i = 0; i < rounds; i++) {
        x += dot4(a, x, 0);
        y += dot4(b, y, 0);
        x += dot4(a, x, 0);
        y += dot4(b, y, 0);
        x += dot4(a, x, 0);
        y += dot4(b, y, 0);
        x += dot4(a, x, 0);
        y += dot4(b, y, 0);
        x += dot4(a, x, 0);
        y += dot4(b, y, 0);
        x += dot4(a, x, 0);
        y += dot4(b, y, 0);
        x += dot4(a, x, 0);
        y += dot4(b, y, 0);
        x += dot4(a, x, 0);
        y += dot4(b, y, 0);
    }
    sums[gl_GlobalInvocationID.x] = x + y;
}
