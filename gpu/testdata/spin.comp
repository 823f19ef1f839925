#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer A { uint flag; };
void main() { while (atomicAdd(flag, 0) == 0) {} }
