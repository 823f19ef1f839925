#version 450
// Matrices in every form: row and column major, in std140 and in registers.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std140) uniform U {
    layout(row_major) mat3 r;
    mat3 c;
    layout(row_major) mat2x4 w[2];
    float scale[3];
} u;
layout(set = 0, binding = 1, std430) buffer Out { float result[]; };

void put(inout uint n, vec3 v) { result[n++] = v.x; result[n++] = v.y; result[n++] = v.z; }

void main() {
    uint n = 0;
    put(n, u.r * vec3(1, 2, 3));
    put(n, vec3(1, 2, 3) * u.c);
    mat3 p = u.r * u.c;
    for (int i = 0; i < 3; i++) put(n, p[i]);
    put(n, transpose(p)[1] * u.scale[2]);
    mat3 inv = inverse(u.c);
    mat3 one = inv * u.c;
    for (int i = 0; i < 3; i++) put(n, one[i]);
    result[n++] = determinant(u.c);
    result[n++] = u.w[1][1][2];
    result[n++] = u.w[int(gl_WorkGroupID.x)][0].y;
    mat3 o = outerProduct(vec3(1, 2, 3), vec3(4, 5, 6));
    put(n, o[2]);
    put(n, matrixCompMult(o, u.c)[1]);
    put(n, (u.c * 2.0 + u.r)[0]);
}
