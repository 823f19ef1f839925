#version 450
#extension GL_EXT_debug_printf : enable
layout(local_size_x = 1) in;
layout(binding = 0) buffer Out { vec4 result; ivec2 pairs[3]; } o;
void main() {
    vec4 v = normalize(o.result.wzyx);
    debugPrintfEXT("v = %v4f \"quoted\" \\ %d", v, o.pairs[1].y);
    if (any(greaterThan(v, vec4(0.5)))) o.result = v; else o.pairs[2] = ivec2(-1, 7);
}
