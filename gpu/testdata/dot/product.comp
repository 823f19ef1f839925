#version 450
#extension GL_EXT_spirv_intrinsics : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
// C = A B of 32 x 32 with 16-bit factors: a workgroup makes 8 rows, a thread four elements of a row.
spirv_instruction(extensions = ["SPV_VALVE_mixed_float_dot_product"], capabilities = [6912], id = 6916)
float dot2(f16vec2 a, f16vec2 b, float sum);
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer A { f16vec2 a[]; }; // rows, by pairs along k
layout(binding = 1) readonly buffer B { f16vec4 b[]; }; // columns, by fours along k
layout(binding = 2) writeonly buffer C { vec4 c[]; };
shared f16vec2 tile[32][17];
void main() {
    uint row = gl_WorkGroupID.x * 8 + gl_LocalInvocationID.y, first = gl_LocalInvocationID.x * 4;
    for (uint i = gl_LocalInvocationIndex; i < 32 * 8; i += 64) {
        f16vec4 v = b[i];
        tile[i / 8][i % 8 * 2] = v.xy;
        tile[i / 8][i % 8 * 2 + 1] = v.zw;
    }
    barrier();
    vec4 sum = vec4(0);
    for (uint k = 0; k < 16; k++) {
        f16vec2 x = a[row * 16 + k];
        for (int j = 0; j < 4; j++) sum[j] = dot2(x, tile[first + j][k], sum[j]);
    }
    c[row * 8 + gl_LocalInvocationID.x] = sum;
}
