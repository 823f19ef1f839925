// Kernels with parameters of each kind, for the places of arguments. Compiled as spvsim compiles them, at -O0 and -O3.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef struct { char tag; double weight; short shape[3]; } record;
typedef struct { uchar c; uint n; } __attribute__((packed)) tight;
typedef struct { float3 at; int id; } particle;
typedef union { float f; uint u; } word;
typedef struct { record inner; long link; } nest;

kernel void scalars(char c, global float *out, uchar uc, short s, half2 h, int i, long l, float f, double d, ushort us, ulong n, char last) { out[0] = c + uc + s + h.x + i + l + f + d + us + n + last; }
kernel void vectors(char c, char2 c2, char3 c3, char16 c16, global float *out, int3 i3, uchar u, double3 d3, long16 l16, float4 f4, short3 s3) { out[0] = c + c2.x + c3.z + c16.s3 + i3.z + u + d3.y + l16.sf + f4.x + s3.z; }
kernel void structures(char c, record r, tight t, global float *out, particle p, uchar u, word w, nest n) { out[0] = c + r.weight + r.shape[2] + t.n + p.id + u + w.f + n.inner.shape[1] + n.link; }
kernel void pointers(char c, global const int *in, local float *scratch, char d, constant float4 *table, local double3 *wide, global float *restrict out, local char *bytes) { scratch[0] = in[c]; wide[1].x = d; bytes[0] = c; out[0] = scratch[1] + table[0].x + wide[0].x + bytes[1]; }
kernel void images(int n, read_only image2d_t a, char c, write_only image3d_t b, sampler_t s, global float4 *out) { out[0] = read_imagef(a, s, (float2)(n, c)); write_imagef(b, (int4)(0), out[0]); }
kernel __attribute__((reqd_work_group_size(8, 4, 2))) void required(global int *out) { out[0] = 1; }
kernel __attribute__((work_group_size_hint(32, 2, 1))) void hinted(global int *out) { out[0] = 1; }
kernel void none(void) { }
