// Tables in constant memory.
constant int primes[10] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29};
constant char grid[3][4] = {{1, -2, 3, -4}, {5, -6, 7, -8}, {9, -10, 11, -12}};
constant float4 colours[3] = {(float4)(1, 2, 3, 4), (float4)(5, 6, 7, 8), (float4)(9, 10, 11, 12)};
typedef struct { short code; double factor; uchar name[5]; } unit;
constant unit units[3] = {{1, 0.5, "abcd"}, {-2, 0.25, "efgh"}, {300, 8.0, "ijkl"}};
constant ulong wide[2] = {0x123456789abcdef0ul, 42};

kernel void numbers(global const uint *in, global int *out) {
    const int i = get_global_id(0);
    out[i] = primes[in[i] % 10] + grid[in[i] / 10 % 3][in[i] & 3];
}

kernel void vectors(global const uint *in, global float *out) {
    const int i = get_global_id(0);
    const float4 c = colours[in[i] % 3];
    out[i] = c.x + 10 * c.y + 100 * c.z + 1000 * c.w;
}

kernel void structures(global const uint *in, global double *out) {
    const int i = get_global_id(0);
    constant unit *u = &units[in[i] % 3];
    out[i] = u->code * u->factor + u->name[in[i] & 3] + (double)(wide[in[i] >> 5 & 1] & 0xffff);
}

static int summed(constant int *list, int n) {
    int sum = 0;
    for (int k = 0; k < n; k++)
        sum += list[k];
    return sum;
}

constant int others[4] = {100, 200, 300, 400};

kernel void chosen(global const uint *in, global int *out) {
    const int i = get_global_id(0);
    constant int *list = in[i] & 8 ? primes : others;
    out[i] = summed(list, in[i] & 3) + list[in[i] & 3];
}

kernel void argument(constant float *weights, constant int4 *more, global const uint *in, global float *out) {
    const int i = get_global_id(0);
    out[i] = weights[in[i] & 7] + more[in[i] >> 3 & 1].z;
}

// Addresses in initializers.
typedef struct { int times; constant int *list; } part;
constant int *constant third = &primes[3];
constant part parts[2] = {{1, &others[1]}, {2, &primes[5]}};

kernel void placed(global const uint *in, global int *out) {
    const int i = get_global_id(0);
    constant part *p = &parts[in[i] & 1];
    out[i] = third[in[i] >> 1 & 3] + p->times * p->list[in[i] >> 3 & 1];
}

kernel void placed_or_given(constant int *given, global const uint *in, global int *out) {
    const int i = get_global_id(0);
    constant int *list = in[i] & 1 ? given : third;
    out[i] = list[in[i] >> 1 & 3] + parts[in[i] >> 4 & 1].list[in[i] >> 3 & 1];
}

kernel void absent(global const uint *in, global int *out) {
    const int i = get_global_id(0);
    constant int *list = in[i] & 1 ? primes : in[i] & 2 ? others : 0;
    out[i] = list ? list[1] : -1;
}
