#version 450
#extension GL_EXT_shader_atomic_float : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer A { float added; };
void main() { atomicAdd(added, 0.5); }
