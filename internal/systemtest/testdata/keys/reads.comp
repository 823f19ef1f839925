#version 450
// Sixteen reads of LDS, of 4 or 16 bytes a lane, of which none waits for another, and none goes with another in one instruction.
layout(constant_id = 0) const uint KIND = 0;
layout(local_size_x_id = 1) in;

layout(set = 0, binding = 0) writeonly buffer Sink { uint sink[]; };

shared uint words[4608];
shared uvec4 quads[272];

#define FOUR(type, k) type x##k = AT(k), x1##k = AT(k + 1), x2##k = AT(k + 2), x3##k = AT(k + 3);
#define SUM(k) x##k + x1##k + x2##k + x3##k
#define SIXTEEN(type) FOUR(type, 0) FOUR(type, 4) FOUR(type, 8) FOUR(type, 12) type sum = SUM(0) + SUM(4) + SUM(8) + SUM(12);

void main() {
    uint i = gl_LocalInvocationIndex;
    words[i] = i;
    quads[i] = uvec4(i);
    barrier();
    if (KIND == 0) {
#define AT(k) words[i + 257 * ((k) + 1)]
        SIXTEEN(uint)
        sink[i] = sum;
#undef AT
    } else {
#define AT(k) quads[i + (k)]
        SIXTEEN(uvec4)
        sink[i] = sum.x + sum.y + sum.z + sum.w;
    }
}
