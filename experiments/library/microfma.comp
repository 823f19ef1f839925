#version 450

// Multiply-adds of f32 in independent chains: one chain gives the latency of a result, several on all waves give the rate.
layout(local_size_x_id = 0) in;

layout(constant_id = 1) const uint chains = 4; // up to 8
layout(set = 0, binding = 0) buffer Out { float sums[]; };
layout(push_constant) uniform Push { uint rounds; }; // of 16 multiply-adds a chain

void main() {
    float a = sums[0], b = sums[1], x[8]; // 1 and 0: what no compiler knows
    for (uint k = 0; k < chains; k++) {
        x[k] = float(k);
    }
    for (uint i = 0; i < rounds; i++) {
        for (uint j = 0; j < 16; j++) {
            for (uint k = 0; k < chains; k++) {
                x[k] = fma(x[k], a, b);
            }
        }
    }
    float sum = 0.0;
    for (uint k = 0; k < chains; k++) {
        sum += x[k];
    }
    sums[2 + gl_GlobalInvocationID.x] = sum;
}
