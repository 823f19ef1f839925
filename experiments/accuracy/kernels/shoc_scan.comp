#version 450
// Blelloch's exclusive scan of 512 elements a workgroup, in LDS without padding.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer D { float data[]; };
layout(set = 0, binding = 1) writeonly buffer S { float sums[]; };
shared float part[512];
void main() {
    uint t = gl_LocalInvocationID.x, g = gl_WorkGroupID.x, base = g * 512u;
    part[t] = data[base + t];
    part[t + 256u] = data[base + t + 256u];
    uint offset = 1u;
    for (uint d = 256u; d > 0u; d >>= 1) {
        barrier();
        if (t < d) {
            uint a = offset * (2u * t + 1u) - 1u, b = offset * (2u * t + 2u) - 1u;
            part[b] += part[a];
        }
        offset <<= 1;
    }
    if (t == 0u) {
        sums[g] = part[511];
        part[511] = 0.0;
    }
    for (uint d = 1u; d <= 256u; d <<= 1) {
        offset >>= 1;
        barrier();
        if (t < d) {
            uint a = offset * (2u * t + 1u) - 1u, b = offset * (2u * t + 2u) - 1u;
            float x = part[a];
            part[a] = part[b];
            part[b] += x;
        }
    }
    barrier();
    data[base + t] = part[t];
    data[base + t + 256u] = part[t + 256u];
}
