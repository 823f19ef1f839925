#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require

// y = A x with A in blocks of 32 values of 4 bits and a scale, 18 bytes each: a workgroup of 64 sums two rows, a quarter of a block a
// lane and step. The low halves of a block's 16 bytes are its first 16 values.
layout(local_size_x = 64) in;

struct Block { float16_t scale; uint16_t values[8]; };

layout(set = 0, binding = 0) readonly buffer A { Block a[]; };
layout(set = 0, binding = 1) readonly buffer X { vec4 x[]; };
layout(set = 0, binding = 2) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint columns; };

shared vec2 sums[64];

float quarter(uint block, uint part, vec4 low, vec4 high) {
    uint bytes = uint(a[block].values[2 * part]) | uint(a[block].values[2 * part + 1]) << 16;
    vec4 first = vec4(bytes & 15, bytes >> 8 & 15, bytes >> 16 & 15, bytes >> 24 & 15) - 8.0;
    vec4 second = vec4(bytes >> 4 & 15, bytes >> 12 & 15, bytes >> 20 & 15, bytes >> 28) - 8.0;
    return (dot(first, low) + dot(second, high)) * float(a[block].scale);
}

void main() {
    uint lane = gl_LocalInvocationID.x;
    uint blocks = columns / 32;
    uint row = gl_WorkGroupID.x * 2;
    uint part = lane % 4;
    vec2 sum = vec2(0.0);
    for (uint block = lane / 4; block < blocks; block += 16) {
        vec4 low = x[block * 8 + part];
        vec4 high = x[block * 8 + part + 4];
        sum.x += quarter(row * blocks + block, part, low, high);
        sum.y += quarter((row + 1) * blocks + block, part, low, high);
    }
    sums[lane] = sum;
    barrier();
    for (uint n = 32; n > 0; n /= 2) {
        if (lane < n) {
            sums[lane] += sums[lane + n];
        }
        barrier();
    }
    if (lane < 2) {
        y[row + lane] = sums[0][lane];
    }
}
