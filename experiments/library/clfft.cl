// Fourier transforms of 1024 complex points each, after Stockham with radix 4: a workgroup transforms one, in local memory.
#define POINTS 1024
#define GROUP (POINTS / 4)

static float2 times(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

static float2 root(float turn)
{
    float c;
    const float s = sincos(-2.0f * M_PI_F * turn, &c);
    return (float2)(c, s);
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void fft(global const float2 *restrict source, global float2 *restrict target)
{
    local float2 points[POINTS];
    const int lane = get_local_id(0);
    source += get_group_id(0) * POINTS;
    target += get_group_id(0) * POINTS;

    float2 v[4];
    for (int i = 0; i < 4; i++)
        v[i] = source[lane + i * GROUP];

    for (int span = 1; span < POINTS; span *= 4) { // transforms of span points are done
        const int inner = lane & (span - 1);
        const float turn = (float)inner / (float)(4 * span);
        for (int i = 1; i < 4; i++)
            v[i] = times(v[i], root(turn * (float)i));

        const float2 even = v[0] + v[2], odd = v[0] - v[2];
        const float2 sum = v[1] + v[3], difference = v[1] - v[3];
        const float2 turned = (float2)(difference.y, -difference.x);
        const int at = ((lane - inner) << 2) + inner;
        points[at] = even + sum;
        points[at + span] = odd + turned;
        points[at + 2 * span] = even - sum;
        points[at + 3 * span] = odd - turned;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 4; i++)
            v[i] = points[lane + i * GROUP];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (int i = 0; i < 4; i++)
        target[lane + i * GROUP] = v[i];
}
