#version 450
#extension GL_AMD_gcn_shader : require

// The cube map operations of GL_AMD_gcn_shader.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Input { float source[]; };
layout(set = 0, binding = 1) writeonly buffer Output { float result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    vec3 p = vec3(source[3 * i], source[3 * i + 1], source[3 * i + 2]);
    vec2 st = cubeFaceCoordAMD(p);
    result[3 * i] = cubeFaceIndexAMD(p);
    result[3 * i + 1] = st.x;
    result[3 * i + 2] = st.y;
}
