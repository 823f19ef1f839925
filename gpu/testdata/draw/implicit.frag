#version 450
layout(set = 0, binding = 0) uniform texture2D tex;
layout(set = 0, binding = 1) uniform sampler filters[2];
layout(set = 0, binding = 2) uniform sampler2DShadow shadow;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 a;
layout(location = 1) out vec4 b;
void main() {
    int k = int(gl_FragCoord.y / 2.0) & 1;
    a = textureOffset(sampler2D(tex, filters[k]), uv, ivec2(3, -2));
    b = vec4(texture(shadow, vec3(uv, 0.5)), textureProj(shadow, vec4(uv * 2.0, 1.0, 2.0)), texture(shadow, vec3(uv, 0.75), 1.0), textureOffset(shadow, vec3(uv, 0.5), ivec2(1, 1)));
}
