#version 450
// Some work for every lane, helpers too: the derivatives need them.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
layout(location = 1) out uint hit;
void main() {
    float x = uv.x * 37.0 + uv.y * 11.0;
    float d = fwidth(sin(x));
    color = vec4(clamp(d, 0.1, 1.0), uv, 1.0);
    hit = 1u;
}
