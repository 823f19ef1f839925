#version 450
#extension GL_EXT_spirv_intrinsics : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
// y = A x of quantized numbers: blocks of 32 signed bytes with a scale each, 32 columns a thread and step.
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6019, 6018], id = 4450)
int packed(int a, int b, spirv_literal int format);
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6019, 6017], id = 4453)
int accumulated(i8vec4 a, i8vec4 b, int sum);
layout(local_size_x = 8, local_size_y = 8) in;
layout(constant_id = 0) const bool vectors = false;
layout(binding = 0) readonly buffer A { int a[]; }; // rows of 8 blocks
layout(binding = 1) readonly buffer X { int x[]; };
layout(binding = 2) readonly buffer Scales { float scale[]; }; // of A's blocks
layout(binding = 3) buffer Y { float y[]; };
layout(binding = 0) readonly buffer AVectors { i8vec4 av[]; };
layout(binding = 1) readonly buffer XVectors { i8vec4 xv[]; };
shared float sums[8][8];
void main() {
    uint row = gl_WorkGroupID.x * 8 + gl_LocalInvocationID.y, block = gl_LocalInvocationID.x;
    int sum = 0;
    for (int k = 0; k < 8; k++) {
        if (vectors) sum = accumulated(av[row * 64 + block * 8 + k], xv[block * 8 + k], sum);
        else sum += packed(a[row * 64 + block * 8 + k], x[block * 8 + k], 0);
    }
    sums[gl_LocalInvocationID.y][block] = scale[row * 8 + block] * sum;
    barrier();
    if (block == 0) {
        float all = 0;
        for (int k = 0; k < 8; k++) all += sums[gl_LocalInvocationID.y][k];
        y[row] = all;
    }
}
