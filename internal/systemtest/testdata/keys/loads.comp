#version 450
// Sixteen loads, a line each, of which none waits for another.
layout(local_size_x = 32) in;

layout(set = 0, binding = 0) readonly buffer Words { uint words[]; };
layout(set = 0, binding = 1) writeonly buffer Sink { uint sink[]; };

#define AT(k) words[gl_LocalInvocationIndex + 32 * (k)]
#define FOUR(k) AT(k) + AT(k + 1) + AT(k + 2) + AT(k + 3)

void main() {
    sink[gl_LocalInvocationIndex] = FOUR(0) + FOUR(4) + FOUR(8) + FOUR(12);
}
