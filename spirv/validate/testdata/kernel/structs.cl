typedef struct { float a; int n; short s[3]; } part;
typedef struct { part p[2]; float4 v; char c; } whole;
float sum(part p) { return p.a + p.n + p.s[1]; }
kernel void structs(global float *out, whole w, global whole *list) {
  size_t i = get_global_id(0);
  whole x = list[i];
  x.p[1] = w.p[0];
  list[i] = x;
  out[i] = sum(x.p[i & 1]) + w.v.z + x.c;
}
