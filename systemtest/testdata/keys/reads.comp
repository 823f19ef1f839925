#version 450
// Sixteen reads of LDS, of 4 or 16 bytes a lane, of which none waits for another.
layout(constant_id = 0) const uint KIND = 0;
layout(local_size_x_id = 1) in;

layout(set = 0, binding = 0) writeonly buffer Sink { uint sink[]; };

shared uint words[1280];
shared uvec4 quads[272];

#define FOUR(k) AT(k) + AT(k + 1) + AT(k + 2) + AT(k + 3)
#define SIXTEEN FOUR(0) + FOUR(4) + FOUR(8) + FOUR(12)

void main() {
    uint i = gl_LocalInvocationIndex;
    words[i] = i;
    quads[i] = uvec4(i);
    barrier();
    if (KIND == 0) {
#define AT(k) words[i + 64 * (k)]
        sink[i] = SIXTEEN;
#undef AT
    } else {
#define AT(k) quads[i + (k)]
        uvec4 sum = SIXTEEN;
        sink[i] = sum.x + sum.y + sum.z + sum.w;
    }
}
