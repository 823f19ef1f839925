#version 450
#extension GL_EXT_nonuniform_qualifier : require
// Each invocation indexes an array of buffers, of a length that the set says, with a number of its own.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) writeonly buffer B { uint b[]; };
layout(set = 0, binding = 1) readonly buffer A { uint a[]; } sources[];
void main() {
    uint i = gl_GlobalInvocationID.x;
    b[i] = sources[nonuniformEXT(i * 3 % 7)].a[i];
}
