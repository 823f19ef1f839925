// Structures: by value, in memory, nested, packed, in local memory, copied as a whole.
typedef struct { char tag; double weight; short shape[3]; } record;
typedef struct { uchar c; uint n; } __attribute__((packed)) tight;
typedef struct { float3 at; int id; } particle;
typedef struct { record r; particle p[2]; } both;
typedef struct { int numbers[24]; } big;

kernel void by_value(record r, tight t, global double *out, particle p) {
    const int i = get_global_id(0);
    out[i] = r.tag + r.weight * i + r.shape[i % 3] + t.c + t.n + p.at.x + 2 * p.at.y + 4 * p.at.z + p.id;
}

kernel void in_memory(global const record *in, global record *out) {
    const int i = get_global_id(0);
    record r = in[i];
    r.tag++;
    r.weight *= 2;
    r.shape[i % 3] -= 1;
    out[i] = r;
}

kernel void packed_in_memory(global const tight *in, global tight *out) {
    const int i = get_global_id(0);
    out[i].c = in[i].n >> 24;
    out[i].n = in[i].n + in[i].c;
}

kernel void nested(global const both *in, global both *out) {
    const int i = get_global_id(0);
    out[i] = in[i];
    out[i].p[i & 1].at = in[i].p[~i & 1].at.zyx;
    out[i].p[i & 1].id = in[i].r.shape[1];
}

kernel void copied(global const big *in, global big *out) {
    const int i = get_global_id(0);
    big b = in[i];
    b.numbers[i % 24] += 1;
    const big c = b;
    out[i] = c;
}

kernel __attribute__((reqd_work_group_size(32, 1, 1))) void in_local(global const particle *in, global particle *out) {
    local particle shared[32];
    const int i = get_global_id(0), lane = get_local_id(0);
    shared[lane] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = shared[31 - lane];
}

static record made(int i) {
    const record r = {i, i * 0.5, {i + 1, i + 2, i + 3}};
    return r;
}

static int total(record r) { return r.tag + (int)(2 * r.weight) + r.shape[0] + r.shape[1] + r.shape[2]; }

kernel void returned(global int *out) {
    const int i = get_global_id(0);
    out[i] = total(made(i & 63));
}

kernel void zeroed(global const int *in, global int *out) {
    const int i = get_global_id(0);
    big b = {{0}};
    for (int k = 0; k < 5; k++)
        b.numbers[in[i + k] & 15] += k + 1;
    int sum = 0;
    for (int k = 0; k < 24; k++)
        sum += k * b.numbers[k];
    out[i] = sum;
}
