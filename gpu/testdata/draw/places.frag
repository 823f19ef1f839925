#version 450
layout(location = 0) in vec2 plain;
layout(location = 1) centroid in vec2 inside;
layout(location = 2) noperspective in vec2 line;
layout(location = 0) out vec4 a;
layout(location = 1) out vec4 b;
layout(location = 2) out vec4 c;
layout(location = 3) out vec4 d;
void main() {
    a = vec4(plain, inside);
    b = vec4(interpolateAtOffset(plain, vec2(0.25, -0.375)), interpolateAtOffset(line, gl_FragCoord.xy / 64.0));
    c = vec4(interpolateAtCentroid(plain), interpolateAtSample(line, int(gl_FragCoord.x) & 3));
    d = vec4(interpolateAtCentroid(plain.y), float(gl_SampleMaskIn[0]), 0.0, 1.0);
}
