#version 450
layout(local_size_x = 64) in;
layout(constant_id = 3) const uint factor = 2;
layout(set = 0, binding = 0) buffer A { uint a[]; };
layout(push_constant) uniform P { uint add; } p;
void main() { uint i = gl_GlobalInvocationID.x; a[i] = a[i] * factor + p.add; }
