#version 450
// Four accumulators, a multiply-add each an iteration.
layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0) writeonly buffer O { float result[]; };
layout(push_constant) uniform P { float factor, addend; uint rounds; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    vec2 a = vec2(float(i), float(i) + 1.0), b = a + 2.0;
    for (uint k = 0u; k < rounds; k++) {
        a = fma(a, vec2(factor), vec2(addend));
        b = fma(b, vec2(factor), vec2(addend));
    }
    result[i] = a.x + a.y + b.x + b.y;
}
