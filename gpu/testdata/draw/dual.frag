#version 450
layout(location = 0, index = 0) out vec4 first;
layout(location = 0, index = 1) out vec4 second;
void main() {
    first = gl_FragCoord;
    second = vec4(3.0, gl_FragCoord.yx, 1.0);
}
