#version 450
layout(location = 0) in vec4 tint;
layout(location = 0) out vec4 a;
layout(location = 1) out vec4 b;
void main() {
    a = vec4(gl_PointCoord, float(gl_PrimitiveID), gl_FrontFacing ? 1.0 : 0.0);
    b = tint;
}
