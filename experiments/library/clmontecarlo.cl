// Monte Carlo for the price of a European call: each work-item draws normal numbers by Box and Muller from its own
// generator (a xorshift plus a counter, as Marsaglia's xorwow), and workgroups add up the discounted payoffs.
typedef struct {
    float spot, strike, rate, volatility, years;
} option;

typedef struct {
    uint x, counter;
} generator;

// mixed spreads a seed over all bits (the finalizer of MurmurHash3); no seed gives zero but zero.
static uint mixed(uint h)
{
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ (h >> 16);
}

static uint draw(generator *g)
{
    g->x ^= g->x << 13;
    g->x ^= g->x >> 17;
    g->x ^= g->x << 5;
    g->counter += 362437u;
    return g->x + g->counter;
}

// uniform returns a number above 0 and at most 1.
static float uniform(generator *g) { return (float)((draw(g) >> 8) + 1) * 0x1p-24f; }

kernel void price(global float *restrict sums, local float *partial, option o, uint seed, uint pairs)
{
    generator g = {mixed(seed + get_global_id(0)), 0};
    const float drift = (o.rate - 0.5f * o.volatility * o.volatility) * o.years;
    const float spread = o.volatility * sqrt(o.years);

    float sum = 0.0f;
    for (uint i = 0; i < pairs; i++) {
        const float radius = sqrt(-2.0f * log(uniform(&g)));
        const float angle = 2.0f * M_PI_F * uniform(&g);
        const float first = o.spot * exp(drift + spread * radius * cos(angle));
        const float second = o.spot * exp(drift + spread * radius * sin(angle));
        sum += fmax(first - o.strike, 0.0f) + fmax(second - o.strike, 0.0f);
    }

    const uint lane = get_local_id(0);
    partial[lane] = sum * exp(-o.rate * o.years) / (float)(2 * pairs);
    for (uint width = get_local_size(0) / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < width)
            partial[lane] += partial[lane + width];
    }
    if (lane == 0)
        sums[get_group_id(0)] = partial[0] / (float)get_local_size(0);
}
