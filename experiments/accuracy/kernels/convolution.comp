#version 450

// A mask x mask window over a picture of width columns, one invocation a pixel. A row of the source is width + mask - 1 long.
layout(local_size_x = 64) in;

layout(set = 0, binding = 0) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 1) readonly buffer Mask { float weights[]; };
layout(set = 0, binding = 2) writeonly buffer Target { int target[]; };
layout(push_constant) uniform Push { uint width; uint height; uint mask; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint x = i % width;
    uint y = i / width;
    if (y >= height) {
        return;
    }
    uint pitch = width + mask - 1;
    float sum = 0.0;
    for (uint my = 0; my < mask; my++) {
        for (uint mx = 0; mx < mask; mx++) {
            sum += float(source[(y + my) * pitch + x + mx]) * weights[my * mask + mx];
        }
    }
    target[i] = int(sum);
}
