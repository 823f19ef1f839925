#version 450
// First pass of deferred shading: what the lights need to know of each pixel.
layout(location = 0) in vec3 normal;
layout(location = 1) in vec2 uv;
layout(location = 2) flat in uint material;
layout(location = 0) out vec4 albedo;
layout(location = 1) out vec4 normals;
void main() {
    vec2 cell = fract(uv * 4.0) - 0.5;
    if (material == 1u && dot(cell, cell) < 0.04)
        discard; // holes
    vec3 base = material == 0u ? vec3(0.7, 0.7, 0.75) : vec3(0.9, 0.5, 0.2);
    float line = max(abs(cell.x), abs(cell.y)) > 0.46 ? 0.5 : 1.0;
    albedo = vec4(base * line, 1.0);
    normals = vec4(normalize(normal) * 0.5 + 0.5, gl_FragCoord.z);
}
