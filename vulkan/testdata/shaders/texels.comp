#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) uniform samplerBuffer source;
layout(set = 0, binding = 1, r32ui) uniform writeonly uimageBuffer target;
void main() {
    int i = int(gl_GlobalInvocationID.x);
    imageStore(target, i, uvec4(uint(texelFetch(source, i).y * 255.0 + 0.5) + textureSize(source)));
}
