// Casts between pointers of any type, in every address space, and arithmetic of pointers.
kernel void swap_bytes(global const uint *in, global uint *out) {
    const int i = get_global_id(0);
    global const uchar *p = (global const uchar *)(in + i);
    global uchar *q = (global uchar *)(out + i);
    for (int k = 0; k < 4; k++)
        q[k] = p[3 - k];
}

kernel void wider(global const uint *in, global ulong *out) {
    const int i = get_global_id(0);
    out[i] = *(global const ulong *)(in + 2 * i) + 1;
}

kernel void float_bits(global const float *in, global uint *out) {
    const int i = get_global_id(0);
    out[i] = *(global const uint *)&in[i] ^ 0x80000000u;
}

kernel __attribute__((reqd_work_group_size(64, 1, 1))) void local_views(global const uint *in, global uint *out) {
    local uint words[64];
    const int i = get_global_id(0), lane = get_local_id(0);
    words[lane] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    local uchar *bytes = (local uchar *)words;
    local ushort *shorts = (local ushort *)words;
    const uint sum = bytes[lane] + bytes[255 - lane] + shorts[lane] + shorts[127 - lane];
    barrier(CLK_LOCAL_MEM_FENCE);
    bytes[4 * lane + 1] = sum;
    shorts[2 * lane + 1] = sum >> 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = words[lane ^ 1];
}

typedef union { float f; uint u; uchar b[4]; ushort s[2]; } word;

kernel void private_views(global const uint *in, global uint *out) {
    const int i = get_global_id(0);
    word w;
    w.u = in[i];
    w.b[i & 3] += 7;
    w.s[~i & 1] ^= 0x55aa;
    float values[4] = {1.0f, 2.0f, 4.0f, 8.0f};
    values[i & 3] = w.f;
    const uint *bits = (const uint *)values;
    out[i] = bits[i & 3] + bits[(i + 1) & 3];
}

constant uint table[8] = {0x01020304, 0x11121314, 0x21222324, 0x31323334, 0x41424344, 0x51525354, 0x61626364, 0x71727374};

kernel void constant_views(global const uint *in, global uint *out) {
    const int i = get_global_id(0);
    constant uchar *bytes = (constant uchar *)table;
    constant ulong *wide = (constant ulong *)table;
    out[i] = bytes[in[i] & 31] + (uint)(wide[in[i] & 3] >> 24);
}

kernel void differences(global const uint *in, global int *out, int n) {
    const int i = get_global_id(0);
    global const uint *first = in + i, *last = in + n, *p = first;
    uint sum = 0;
    while (p < last && p - first < 5)
        sum += *p++;
    out[i] = (int)sum + (int)(last - p) + (p == last) + (int)((global const char *)p - (global const char *)first);
}

kernel void rounded_up(global const uint *in, global uint *out) {
    const int i = get_global_id(0);
    global const uint *p = (global const uint *)(((ulong)(in + i) + 15) & ~15ul);
    out[i] = *p + (uint)((ulong)p & 15);
}

kernel void chosen(global const uint *a, global const uint *b, global uint *out) {
    const int i = get_global_id(0);
    global const uint *p = a[i] & 1 ? a : b;
    if (b[i] & 2)
        p += 1;
    out[i] = p[i / 2];
}

kernel void chosen_private(global const uint *in, global uint *out) {
    const int i = get_global_id(0);
    uint even[4] = {1, 2, 3, 4}, odd[4] = {5, 6, 7, 8};
    uint *p = in[i] & 1 ? odd : even;
    p[in[i] >> 1 & 3] = in[i];
    out[i] = even[0] + 2 * even[1] + 3 * even[2] + 4 * even[3] + 5 * odd[0] + 6 * odd[1] + 7 * odd[2] + 8 * odd[3];
}

kernel void of_pointers(global const uint *a, global const uint *b, global uint *out) {
    const int i = get_global_id(0);
    global const uint *rows[3] = {a, b, a + 1};
    uint sum = 0;
    for (int k = 0; k < 3; k++)
        sum = 3 * sum + rows[(i + k) % 3][i / 2];
    out[i] = sum;
}
