#version 450
layout(set = 0, binding = 0) uniform sampler2D tex;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 implicitly;
layout(location = 1) out vec4 lods;
layout(location = 2) out vec4 biased;
layout(location = 3) out vec4 given;
layout(location = 4) out vec4 graded;
layout(location = 5) out vec4 fetched;
void main() {
    implicitly = texture(tex, uv);
    lods = vec4(textureQueryLod(tex, uv), float(textureQueryLevels(tex)), float(textureSize(tex, 2).x));
    biased = texture(tex, uv, 0.75);
    given = textureLod(tex, uv, 1.25);
    graded = textureGrad(tex, uv, vec2(0.125, 0.0), vec2(0.0, 0.03125));
    fetched = texelFetch(tex, ivec2(gl_FragCoord.xy) & 3, 2);
}
