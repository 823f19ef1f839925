#version 450
// A chain of 128 products, without a branch.
layout(local_size_x = 32) in;

layout(set = 0, binding = 0) writeonly buffer Sink { uint sink[]; };

#define FOUR x *= x; x *= x; x *= x; x *= x;
#define SIXTEEN FOUR FOUR FOUR FOUR

void main() {
    uint x = gl_LocalInvocationIndex;
    SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN
    sink[gl_GlobalInvocationID.x] = x;
}
