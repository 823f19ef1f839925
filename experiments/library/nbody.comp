#version 450

// One step of n bodies under gravity, n a multiple of 256, each body a position and a mass. Tiles of 256 bodies go through LDS.
layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly buffer Bodies { vec4 bodies[]; };
layout(set = 0, binding = 1) readonly buffer Velocities { vec4 velocities[]; };
layout(set = 0, binding = 2) writeonly buffer NewBodies { vec4 newBodies[]; };
layout(set = 0, binding = 3) writeonly buffer NewVelocities { vec4 newVelocities[]; };
layout(push_constant) uniform Push { uint n; float dt; float softening; };

shared vec4 tile[256];

void main() {
    uint i = gl_GlobalInvocationID.x;
    vec4 me = bodies[i];
    vec3 pull = vec3(0.0);

    for (uint start = 0; start < n; start += 256) {
        tile[gl_LocalInvocationIndex] = bodies[start + gl_LocalInvocationIndex];
        barrier();
        for (uint j = 0; j < 256; j++) {
            vec3 r = tile[j].xyz - me.xyz;
            float d2 = dot(r, r) + softening;
            float inverse = inversesqrt(d2);
            pull += tile[j].w * inverse * inverse * inverse * r;
        }
        barrier();
    }

    vec3 v = velocities[i].xyz;
    newBodies[i] = vec4(me.xyz + v * dt + 0.5 * dt * dt * pull, me.w);
    newVelocities[i] = vec4(v + pull * dt, velocities[i].w);
}
