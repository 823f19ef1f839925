#version 450
layout(set = 0, binding = 0) buffer Data { uint started, stayed; };
layout(location = 0) out vec4 color;
void leave(int x) { if (x % 3 == 0) discard; }
void main() {
    atomicAdd(started, 1u);
    leave(int(gl_FragCoord.x));
    atomicAdd(stayed, 1u);
    color = vec4(gl_FragCoord.z, 1.0, 1.0, 1.0);
}
