#version 450
layout(set = 0, binding = 0) uniform textureCube tex;
layout(set = 0, binding = 1) uniform sampler s;
layout(location = 0) in vec3 d;
layout(location = 0) out vec4 color;
void main() { color = textureLod(samplerCube(tex, s), d, 0.0); }
