// Arrays of a work-item with indexes that differ by lane.
kernel void sorted(global const int *in, global int *out) {
    const int i = get_global_id(0);
    int list[8];
    for (int k = 0; k < 8; k++)
        list[k] = in[8 * i + k];
    for (int k = 1; k < 8; k++) {
        const int v = list[k];
        int at = k;
        while (at > 0 && list[at - 1] > v) {
            list[at] = list[at - 1];
            at--;
        }
        list[at] = v;
    }
    for (int k = 0; k < 8; k++)
        out[8 * i + k] = list[k];
}

kernel void stack(global const int *in, global int *out) {
    const int i = get_global_id(0);
    int depth = 0, visited = 0;
    int nodes[24];
    nodes[depth++] = in[i] & 15;
    while (depth > 0) {
        const int node = nodes[--depth];
        visited = visited * 3 + node;
        if (2 * node + 2 < 60 && depth < 22) {
            nodes[depth++] = 2 * node + 1;
            if (node & 1)
                nodes[depth++] = 2 * node + 2;
        }
    }
    out[i] = visited;
}

kernel void squares(global const int *in, global int *out) {
    const int i = get_global_id(0);
    char grid[5][7];
    for (int y = 0; y < 5; y++)
        for (int x = 0; x < 7; x++)
            grid[y][x] = in[i] >> x ^ y;
    int sum = 0;
    for (int k = 0; k < 6; k++)
        sum = 5 * sum + grid[(in[i + k] & 0x7fffffff) % 5][(in[i + k] >> 4 & 0x7ffffff) % 7];
    out[i] = sum;
}

typedef struct { long key; short2 at; } entry;

kernel void entries(global const int *in, global long *out) {
    const int i = get_global_id(0);
    entry list[4];
    for (int k = 0; k < 4; k++) {
        list[k].key = (long)in[i + k] << k;
        list[k].at = (short2)(k, in[i]);
    }
    const entry e = list[in[i] & 3];
    list[in[i + 1] & 3] = e;
    out[i] = e.key + e.at.x * e.at.y + list[3].key + list[3].at.y;
}

kernel void vectors(global const int *in, global float *out) {
    const int i = get_global_id(0);
    float4 rows[4];
    for (int k = 0; k < 4; k++)
        rows[k] = (float4)(k, in[i] & 255, k * k, 1);
    rows[in[i] >> 3 & 3].y += 0.5f;
    const float4 v = rows[in[i + 1] & 3];
    out[i] = v.x + 2 * v.y + 4 * v.z + 8 * v.w;
}
