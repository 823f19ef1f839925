#version 450
#extension GL_AMD_shader_ballot : require
// Products in two chains, and in the first workgroup an exchange of lanes after them.
layout(local_size_x = 32) in;

layout(set = 0, binding = 0) writeonly buffer Sink { uint sink[]; };

#define FOUR x *= x; y *= y; x *= x; y *= y;
#define SIXTEEN FOUR FOUR FOUR FOUR

void main() {
    uint x = gl_LocalInvocationIndex, y = x + 1;
    SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN
    x += y;
    if (gl_WorkGroupID.x == 0) x = swizzleInvocationsMaskedAMD(x, uvec3(13, 17, 2));
    sink[gl_GlobalInvocationID.x] = x;
}
