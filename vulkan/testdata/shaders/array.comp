#version 450
// An array of buffers, indexed by a push constant.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) readonly buffer A { uint a[]; } sources[4];
layout(set = 0, binding = 1) writeonly buffer B { uint b[]; };
layout(push_constant) uniform Push { uint which; };
void main() { b[gl_GlobalInvocationID.x] = sources[which].a[gl_GlobalInvocationID.x]; }
