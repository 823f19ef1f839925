#version 450
#extension GL_AMD_gcn_shader : require

// A box filter of an environment map: the sum of the texels that 27 directions around one hit, by the cube operations. The
// faces are six squares of SIDE x SIDE numbers in a buffer.
layout(local_size_x = 64) in;

const uint SIDE = 16;

layout(set = 0, binding = 0) readonly buffer Faces { uint faces[]; };
layout(set = 0, binding = 1) writeonly buffer Filtered { uint filtered[]; };

uint texel(vec3 direction) {
    uint face = uint(cubeFaceIndexAMD(direction));
    uvec2 at = min(uvec2(cubeFaceCoordAMD(direction) * SIDE), uvec2(SIDE - 1));
    return faces[(face * SIDE + at.y) * SIDE + at.x];
}

void main() {
    uint i = gl_GlobalInvocationID.x;
    vec3 middle = vec3(int(i * 7 % 61) - 30, int(i * 11 % 53) - 26, int(i * 5 % 47) - 23) + 0.125;
    uint sum = 0;
    for (int z = -1; z <= 1; z++) {
        for (int y = -1; y <= 1; y++) {
            for (int x = -1; x <= 1; x++) {
                sum += texel(middle + vec3(x, y, z) * 2.0);
            }
        }
    }
    filtered[i] = sum;
}
