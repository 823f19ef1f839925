// Functions that are called rather than inlined, with pointers into each address space.
typedef struct { int low, high; } range;

__attribute__((noinline)) static int squared(int x) { return x * x; }

__attribute__((noinline)) static void bumped(int *p, int by) { *p += squared(by); }

__attribute__((noinline)) static int of_global(global const int *p, int n) {
    int sum = 0;
    for (int k = 0; k < n; k++) {
        if (p[k] == 0)
            return -sum;
        sum += p[k];
    }
    return sum;
}

__attribute__((noinline)) static int of_local(local int *p, int at) { return p[at] + p[at ^ 1]; }

__attribute__((noinline)) static range ordered(range r) {
    range s = r;
    if (r.low > r.high) {
        s.low = r.high;
        s.high = r.low;
    }
    return s;
}

__attribute__((noinline)) static float4 scaled(float4 v, float by) { return v * by; }

kernel __attribute__((reqd_work_group_size(64, 1, 1))) void calls(global const int *in, global int *out) {
    local int tile[64];
    const int i = get_global_id(0), lane = get_local_id(0);
    tile[lane] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    int own = in[i];
    bumped(&own, lane);
    range r = {in[i], in[i + 1]};
    r = ordered(r);
    const float4 v = scaled((float4)(1, 2, 3, lane), 2.0f);
    out[i] = own + of_global(in + i, 4) + of_local(tile, lane) + (r.high - r.low) + (int)(v.x + v.w);
}

kernel void first(global const int *in, global int *out) { out[get_global_id(0)] = squared(in[get_global_id(0)]) + 1; }
