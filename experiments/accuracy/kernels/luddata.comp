#version 450
// min(row, column) + 1, the product of a lower and an upper triangle of ones.
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) writeonly buffer M { float m[]; };
layout(push_constant) uniform P { uint n; };
void main() {
    uvec2 at = gl_GlobalInvocationID.xy;
    m[at.y * n + at.x] = float(min(at.x, at.y) + 1u);
}
