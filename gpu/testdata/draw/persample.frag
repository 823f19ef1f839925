#version 450
layout(location = 0) sample in vec2 own;
layout(location = 1) in vec2 plain;
layout(location = 0) out vec4 a;
layout(location = 1) out vec4 b;
void main() {
    a = vec4(own, gl_SamplePosition);
    b = vec4(plain.x, float(gl_SampleID), float(gl_SampleMaskIn[0]), gl_FragCoord.x);
}
