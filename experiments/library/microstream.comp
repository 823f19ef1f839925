#version 450

// Streams of f64, an element a lane: what is read and what is written says the kind. The workgroup memory only keeps further workgroups
// from a compute unit, so that the size of one is the occupancy.
layout(local_size_x_id = 0) in;

layout(constant_id = 1) const uint kind = 0; // 0 A=c, 1 sum of B, 2 A=c*B, 3 A=B+c*C, 4 and 5 A=a stencil of 3 and of 5 points of B, 6 A=B
layout(constant_id = 2) const uint spoiler = 1; // words of workgroup memory

layout(set = 0, binding = 0) buffer A { double a[]; };
layout(set = 0, binding = 1) readonly buffer B { double b[]; };
layout(set = 0, binding = 2) readonly buffer C { double c[]; };
layout(push_constant) uniform Push { double factor; double never; uint n; };

shared uint kept[spoiler];

bool inside(uint i, uint reach) {
    return i >= reach && i < n - reach;
}

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (spoiler > 1) {
        kept[gl_LocalInvocationIndex % spoiler] = i;
    }
    if (i < n) {
        switch (kind) {
        case 0: a[i] = factor; break;
        case 1:
            if (b[i] == never) {
                a[i] = factor;
            }
            break;
        case 2: a[i] = factor * b[i]; break;
        case 3: a[i] = b[i] + factor * c[i]; break;
        case 4:
            if (inside(i, 1)) {
                a[i] = factor * (b[i - 1] + b[i] + b[i + 1]);
            }
            break;
        case 5:
            if (inside(i, 2)) {
                a[i] = factor * (b[i - 2] + b[i - 1] + b[i] + b[i + 1] + b[i + 2]);
            }
            break;
        case 6: a[i] = b[i]; break;
        }
    }
}
