#version 450

// A finite impulse response filter, one invocation an output.
layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly buffer Input { float samples[]; };
layout(set = 0, binding = 1) readonly buffer Coefficients { float coefficients[]; };
layout(set = 0, binding = 2) readonly buffer History { float history[]; };
layout(set = 0, binding = 3) writeonly buffer Output { float filtered[]; };
layout(push_constant) uniform Push { uint taps; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    float sum = 0.0;
    for (uint t = 0; t < taps; t++) {
        if (i >= t) {
            sum += coefficients[t] * samples[i - t];
        } else {
            sum += coefficients[t] * history[taps + i - t];
        }
    }
    filtered[i] = sum;
}
