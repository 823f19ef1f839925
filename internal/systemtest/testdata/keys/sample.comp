#version 450
// Eight samples of an image, each where the one before says.
layout(local_size_x = 32) in;

layout(set = 0, binding = 0) uniform sampler2D picture;
layout(set = 0, binding = 1) writeonly buffer Sink { uint sink[]; };
layout(push_constant) uniform Push { float level; };

#define SAMPLE at += textureLod(picture, at, level).xy;

void main() {
    vec2 at = vec2(gl_LocalInvocationIndex) * 0.25;
    SAMPLE SAMPLE SAMPLE SAMPLE SAMPLE SAMPLE SAMPLE SAMPLE
    sink[gl_LocalInvocationIndex] = uint(at.x);
}
