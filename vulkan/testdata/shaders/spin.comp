#version 450
// Each lane computes for as long as it is told, and stores the result.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Words { uint data[]; };
layout(push_constant) uniform Constants {
	uint rounds, first;
};

void main() {
	uint at = first + gl_GlobalInvocationID.x, x = at;
	for (uint i = 0; i < rounds; i++)
		x = x * 1664525 + 1013904223;
	data[at] = x;
}
