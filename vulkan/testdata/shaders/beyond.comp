#version 450
// Reads and writes within a buffer and beyond its end.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Data { uint words[]; } data;
layout(set = 0, binding = 1) buffer Out { uint found[]; };
layout(set = 0, binding = 2) uniform Fixed { uvec4 rows[64]; };
layout(push_constant) uniform Push { uint inside; uint beyond; uint far; };
void main() {
    found[0] = data.words[inside];
    found[1] = data.words[beyond];
    found[2] = data.words[far];
    found[3] = data.words.length();
    found[4] = rows[63].x;
    data.words[beyond] = 77;
    data.words[far] = 78;
    atomicAdd(data.words[beyond], 5);
    data.words[inside] = 79;
}
