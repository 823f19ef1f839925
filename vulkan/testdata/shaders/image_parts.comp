#version 450
// A sampler and an image that are apart; an array and a volume.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) uniform texture2DArray layers;
layout(set = 0, binding = 1) uniform sampler how;
layout(set = 0, binding = 2, r32f) uniform image3D volume;
layout(set = 0, binding = 3) writeonly buffer Out { float found[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    found[i] = textureLod(sampler2DArray(layers, how), vec3((float(i % 4) + 0.5) / 4.0, (float(i / 4) + 0.5) / 4.0, i % 3), 0).x;
    imageStore(volume, ivec3(i % 4, i / 8, i / 4 % 2), vec4(float(i) * 2.0));
}
