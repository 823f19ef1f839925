#version 450
#extension GL_EXT_demote_to_helper_invocation : require
layout(set = 0, binding = 0) buffer Data { uint started, stayed, helpers, stores[]; };
layout(location = 0) out vec4 color;
void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    atomicAdd(started, 1u);
    float x = gl_FragCoord.x * 3.0;
    if ((at.x & 1) != 0) demote;
    float d = dFdx(x); // the lanes that left still take part
    if (helperInvocationEXT()) atomicAdd(helpers, 1u); // and write nothing
    else atomicAdd(stayed, 1u);
    stores[at.y * 16 + at.x] = 1u;
    color = vec4(d, 1.0, 1.0, 1.0);
}
