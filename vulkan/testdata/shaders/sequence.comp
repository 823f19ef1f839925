#version 450
// What a generated sequence dispatches: each invocation stores value x factor + number from a place on. Pipelines differ by their factor.
layout(local_size_x = 32) in;
layout(constant_id = 0) const uint factor = 1;
layout(push_constant) uniform Push { uint first, value, number; };
layout(set = 0, binding = 0) buffer Out { uint result[]; };
void main() { result[first + gl_GlobalInvocationID.x] = value * factor + number; }
