#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint b[]; };
shared uint tile[64];
void main() {
	uint i = gl_LocalInvocationID.x;
	tile[i] = i;
	b[i] = tile[63 - i]; // no barrier; and all workgroups write the same words
}
