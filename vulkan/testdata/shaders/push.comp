#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Out { float words[]; };
layout(push_constant) uniform Push { float a; int b; vec2 c; uint d[28]; };
void main() {
    words[0] = a;
    words[1] = float(b);
    words[2] = c.x;
    words[3] = c.y;
    for (uint i = 0; i < 28; i++) {
        words[4 + i] = float(d[i]);
    }
}
