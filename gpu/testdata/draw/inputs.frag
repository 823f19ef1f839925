#version 450
layout(location = 0) in vec2 smoothly;
layout(location = 1) flat in uvec2 flatly;
layout(location = 2) noperspective in float linear;
layout(location = 0) out vec4 a;
layout(location = 1) out uvec4 b;
layout(location = 2) out vec4 c;
void main() {
    a = vec4(smoothly, linear, 0.0);
    b = uvec4(flatly, uint(gl_FrontFacing), uint(gl_HelperInvocation));
    c = gl_FragCoord;
}
