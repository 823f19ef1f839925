#version 450
// A branch that half of the lanes of a wave take, to either side of which the same number of dependent products is.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Sink { float sink[]; };
layout(push_constant) uniform Push { uint n; };

void main() {
    float x = float(gl_LocalInvocationIndex);
    for (uint i = 0; i < n; i++) {
        if ((gl_LocalInvocationIndex & 1) == 0) {
            for (int k = 0; k < 40; k++) {
                x = x * 1.25 + 3.0;
            }
            x -= 1.0;
        } else {
            for (int k = 0; k < 40; k++) {
                x = x * 0.75 + 5.0;
            }
        }
    }
    sink[gl_GlobalInvocationID.x] = x;
}
