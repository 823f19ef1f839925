#version 450
// Each lane changes a word by what another one holds, as often as it is told.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Source { uint from[]; };
layout(set = 0, binding = 1) buffer Target { uint to[]; };
layout(push_constant) uniform Constants { uint rounds; };

void main() {
	uint i = gl_GlobalInvocationID.x, x = to[i], y = from[i];
	for (uint r = 0; r < rounds; r++)
		x = (x ^ y) * 1664525 + 1013904223;
	to[i] = x;
}
