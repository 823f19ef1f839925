#version 450
// As many vector as scalar instructions, 64 of each, in turn.
layout(local_size_x = 32) in;

layout(set = 0, binding = 0) writeonly buffer Sink { uint sink[]; };
layout(push_constant) uniform Push { uint key; };

#define TWO x += 5; u += 3; x ^= 9; u ^= 7;
#define EIGHT TWO TWO TWO TWO

void main() {
    uint x = gl_LocalInvocationIndex, u = key;
    EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT
    sink[gl_GlobalInvocationID.x] = x + u;
}
