// options: -cl-std=CL2.0
// Variables of the program scope.
global uint counter = 5;
global float table[4] = {1, 2, 3, 4};
global uint bins[16];
typedef struct { uchar tag; ushort2 pair; long wide; } record;
global record records[2] = {{7, {1, 2}, -3}, {9, {4, 5}, 6}};

kernel void counted(global const uint *in, global uint *out) {
    const size_t i = get_global_id(0);
    atomic_add(&counter, in[i] & 7);
    atomic_inc(&bins[in[i] & 15]);
    out[i] = in[i] * 3;
}

kernel void told(global uint *out) {
    const size_t i = get_global_id(0);
    out[i] = i < 16 ? bins[i] : i == 16 ? counter : as_uint(table[i & 3]);
    table[0] += 0.0f;
}

kernel void initial(global long *out) {
    const size_t i = get_global_id(0);
    const global record *r = &records[i & 1];
    out[i] = r->tag + r->pair.x * 100 + r->pair.y * 10000 + r->wide + (long)(table[i & 3] * 1000000) + counter + bins[i & 15];
}

// Addresses in initializers.
global float *global middle = &table[2];
global record *constant last = &records[1];
typedef struct { global float *at; global void *next; } link;
global link tail = {&table[3], 0};
global link head = {table + 1, &tail};

kernel void placed(global long *out) {
    const size_t i = get_global_id(0);
    const global link *l = i & 1 ? head.next : &head;
    out[i] = (long)(middle[i & 1] * 1000) + last->wide + (long)(*l->at * 100000) + (l->next ? 7 : 0);
}
