#version 450

// One pass of a bitonic sort over a whole array: each invocation compares and swaps one pair.
layout(local_size_x = 64) in;

layout(set = 0, binding = 0) buffer Keys { uint keys[]; };
layout(push_constant) uniform Push { uint stage; uint pass; };

void main() {
    uint pair = gl_GlobalInvocationID.x;
    uint gap = 1u << (stage - pass);
    uint left = 2 * pair - (pair & (gap - 1));
    uint right = left + gap;
    uint a = keys[left];
    uint b = keys[right];
    bool up = ((pair >> stage) & 1u) == 0;
    keys[left] = up ? min(a, b) : max(a, b);
    keys[right] = up ? max(a, b) : min(a, b);
}
