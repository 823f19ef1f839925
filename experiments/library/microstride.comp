#version 450

// Loads from the first cache: 64 lanes a stride apart, or rows of a tile that are `block` lanes wide and a stride apart; eight loads a round, four
// elements apart.
layout(local_size_x_id = 0) in;

layout(constant_id = 1) const uint stride = 1;   // elements
layout(constant_id = 2) const uint block = 1;    // lanes side by side
layout(constant_id = 3) const bool wide = false; // elements of 64 bits
layout(constant_id = 4) const uint rows = 64;    // of a tile; more lanes begin again with the first

layout(set = 0, binding = 0) readonly buffer Words { uint words[]; };
layout(set = 0, binding = 0) readonly buffer Pairs { uvec2 pairs[]; };
layout(set = 0, binding = 1) writeonly buffer Sink { uint sink[]; };
layout(push_constant) uniform Push { uint rounds; uint none; uint never; }; // none: 0, which a compiler does not know

void main() {
    uint lane = gl_LocalInvocationIndex % 64, at = lane / block % rows * stride + lane % block, sum = 0;
    uvec2 both = uvec2(0);
    for (uint r = 0; r < rounds; r++) {
        uint from = at + (r & none);
        for (uint k = 0; k < 8; k++) {
            if (wide) {
                both ^= pairs[from + 4 * k];
            } else {
                sum ^= words[from + 4 * k];
            }
        }
    }
    if ((sum ^ both.x ^ both.y) == never) {
        sink[gl_GlobalInvocationID.x] = sum;
    }
}
