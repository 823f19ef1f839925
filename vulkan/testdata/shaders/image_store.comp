#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, r32ui) uniform readonly uimage2D source;
layout(set = 0, binding = 1, rgba8) uniform writeonly image2D target;
layout(set = 0, binding = 2, r32ui) uniform uimage2D sums;
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(source);
    if (any(greaterThanEqual(at, size))) {
        return;
    }
    uint v = imageLoad(source, at).x;
    imageStore(target, at, vec4(float(v & 255u) / 255.0, 0.0, float(at.x) / 255.0, 1.0));
    imageAtomicAdd(sums, ivec2(0), v);
}
