#version 450

// One step of n bodies, as the MI300A's nbody kernel divides the work: tiles of 256 bodies are staged through memory and not
// through LDS. There every workgroup writes the same 4 KB, a race; here each has a slice of its own, so that the result is defined.
layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly buffer Bodies { vec4 bodies[]; };
layout(set = 0, binding = 1) readonly buffer Velocities { vec4 velocities[]; };
layout(set = 0, binding = 2) writeonly buffer NewBodies { vec4 newBodies[]; };
layout(set = 0, binding = 3) writeonly buffer NewVelocities { vec4 newVelocities[]; };
layout(set = 0, binding = 4) buffer Scratch { vec4 scratch[]; };
layout(push_constant) uniform Push { uint n; float dt; float softening; uint tile; }; // tile: lanes of a workgroup, which a HIP kernel reads when it runs

// Square root and division rounded as IEEE 754 asks, as a compiler without fast mathematics expands them.
float root(float x) {
    bool small = x < 1.2621774e-29;
    precise float scaled = small ? x * 4294967296.0 : x;
    precise float s = sqrt(scaled);
    float below = intBitsToFloat(floatBitsToInt(s) - 1);
    float above = intBitsToFloat(floatBitsToInt(s) + 1);
    precise float errorBelow = fma(-below, s, scaled);
    precise float errorAbove = fma(-above, s, scaled);
    s = errorBelow <= 0.0 ? below : s;
    s = errorAbove > 0.0 ? above : s;
    s = small ? s * 1.52587890625e-05 : s;
    return scaled == 0.0 || isinf(scaled) ? scaled : s;
}

float reciprocal(float x) {
    bool small = abs(x) < 2.3509887e-38;
    precise float scaled = small ? x * 4294967296.0 : x;
    precise float r = 1.0 / scaled;
    precise float e = fma(-scaled, r, 1.0);
    r = fma(e, r, r);
    e = fma(-scaled, r, 1.0);
    precise float q = fma(e, r, r);
    e = fma(-scaled, q, 1.0);
    q = fma(e, r, q);
    return small ? q * 4294967296.0 : q;
}

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint slice = gl_WorkGroupID.x * tile;
    vec4 me = bodies[i];
    vec3 pull = vec3(0.0);

    for (uint start = 0; start < n; start += tile) {
        scratch[slice + gl_LocalInvocationIndex] = bodies[start + gl_LocalInvocationIndex];
        memoryBarrierBuffer();
        barrier();
        for (uint j = 0; j < tile; j++) {
            vec4 other = scratch[slice + j];
            vec3 r = other.xyz - me.xyz;
            float d2 = dot(r, r) + softening;
            float inverse = reciprocal(root(d2));
            pull += other.w * inverse * inverse * inverse * r;
        }
        memoryBarrierBuffer();
        barrier();
    }

    vec3 v = velocities[i].xyz;
    newBodies[i] = vec4(me.xyz + v * dt + 0.5 * dt * dt * pull, me.w);
    newVelocities[i] = vec4(v + pull * dt, velocities[i].w);
}
