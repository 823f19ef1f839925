#version 450

// y = A x with A of floats: a workgroup of 64 sums two rows, two columns a lane and step, and adds up through LDS.
layout(local_size_x = 64) in;

layout(set = 0, binding = 0) readonly buffer A { vec2 a[]; };
layout(set = 0, binding = 1) readonly buffer X { vec2 x[]; };
layout(set = 0, binding = 2) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint columns; };

shared vec2 sums[64];

void main() {
    uint lane = gl_LocalInvocationID.x;
    uint pairs = columns / 2;
    uint row = gl_WorkGroupID.x * 2;
    vec2 sum = vec2(0.0);
    for (uint i = lane; i < pairs; i += 256) {
        for (uint k = 0; k < 256; k += 64) {
            vec2 b = x[i + k];
            vec2 upper = a[row * pairs + i + k];
            vec2 lower = a[(row + 1) * pairs + i + k];
            sum.x += upper.x * b.x + upper.y * b.y;
            sum.y += lower.x * b.x + lower.y * b.y;
        }
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
