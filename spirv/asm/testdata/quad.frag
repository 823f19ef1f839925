#version 450
#extension GL_KHR_shader_subgroup_quad : enable
layout(location = 0) in vec2 uv;
layout(location = 1) flat in int layer;
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 1) uniform sampler2DArray map;
void main() {
    vec4 texel = textureLodOffset(map, vec3(uv, layer), 1.5, ivec2(1, -1));
    if (texel.a < 0.01) discard;
    colour = subgroupQuadSwapHorizontal(texel) + texture(map, vec3(dFdx(uv), 0)) + vec4(fwidth(uv), gl_FragCoord.xy);
}
