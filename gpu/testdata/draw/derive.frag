#version 450
layout(location = 0) noperspective in vec2 v;
layout(location = 0) out vec4 a;
layout(location = 1) out vec4 b;
void main() {
    a = vec4(dFdx(v.x), dFdy(v.x), dFdxFine(v.y), dFdyCoarse(v.y));
    b = vec4(fwidth(v.x), v, gl_FrontFacing ? 1.0 : 0.0);
}
