#version 450
struct Inner { vec2 uv; float scale[2]; };
layout(location = 0) in Vary { vec4 first; flat uint number; layout(location = 4) noperspective vec2 linear; } vary;
layout(location = 6) in Inner inner;
layout(location = 0) out vec4 a;
layout(location = 1) out vec4 b;
void main() {
    int i = int(gl_FragCoord.x) & 1;
    a = vec4(vary.first.xy, vary.linear);
    b = vec4(inner.uv, inner.scale[i], float(vary.number));
}
