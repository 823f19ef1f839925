#version 450
#extension GL_EXT_fragment_shader_barycentric : require
layout(location = 0) pervertexEXT in vec2 each[];
layout(location = 1) pervertexEXT in uint number[];
layout(location = 0) out vec4 a;
layout(location = 1) out vec4 b;
layout(location = 2) out vec4 c;
void main() {
    a = vec4(gl_BaryCoordEXT, each[0].x);
    b = vec4(gl_BaryCoordNoPerspEXT, each[1].y);
    c = vec4(each[2], float(number[0] + number[1] * 10u), float(number[2]));
}
