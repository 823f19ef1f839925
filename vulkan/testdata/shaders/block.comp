#version 450
// A uniform block, inline or not, and a buffer.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) uniform Block { uvec4 first; float second[3]; uint last; } block;
layout(set = 0, binding = 1) writeonly buffer Out { uint words[]; };
void main() {
    words[0] = block.first.x + block.first.w;
    words[1] = uint(block.second[2]);
    words[2] = block.last;
}
