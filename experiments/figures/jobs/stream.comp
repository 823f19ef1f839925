#version 450
// Each invocation reads 16 bytes of each of COUNT blocks that are in no cache: memory is busy, and all between.
layout(local_size_x = 256) in;

layout(constant_id = 0) const uint COUNT = 8;

layout(set = 0, binding = 0) readonly buffer Source { uvec4 source[]; };
layout(set = 0, binding = 1) buffer Sink { uint sink[]; };

void main() {
    uvec4 sum = uvec4(0);
    uint at = gl_WorkGroupID.x * 256 * COUNT + gl_LocalInvocationID.x;
    for (uint i = 0; i < COUNT; i++) sum |= source[at + i * 256];
    if ((sum.x | sum.y | sum.z | sum.w) != 0) sink[0] = 1; // never: all is zero
}
