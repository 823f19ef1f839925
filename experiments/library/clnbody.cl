// A step of n bodies under gravity, softened, all pairs; tiles of bodies in local memory. A body is x, y, z and mass.
kernel void gravity(global const float4 *restrict bodies, global const float4 *restrict velocities,
                    global float4 *restrict new_bodies, global float4 *restrict new_velocities,
                    local float4 *tile, uint n, float dt, float softening)
{
    const uint i = get_global_id(0), lane = get_local_id(0), size = get_local_size(0);
    const float4 own = bodies[i];
    float3 pull = (float3)(0.0f);

    for (uint start = 0; start < n; start += size) {
        tile[lane] = bodies[start + lane];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < size; k++) {
            const float4 other = tile[k];
            const float3 r = other.xyz - own.xyz;
            const float inverse = rsqrt(dot(r, r) + softening);
            pull += r * (other.w * inverse * inverse * inverse);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    const float4 v = velocities[i];
    new_bodies[i] = (float4)(own.xyz + dt * v.xyz + (0.5f * dt * dt) * pull, own.w);
    new_velocities[i] = (float4)(v.xyz + dt * pull, v.w);
}
