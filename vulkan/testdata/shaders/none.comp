#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer None { uint words[]; } none;
layout(set = 0, binding = 1) buffer Out { uint found[]; };
void main() {
    found[0] = none.words[0] + none.words.length();
    none.words[1] = 7;
    found[1] = 1;
}
