// The kernels of programs.c, which compares each with a loop of the host.

kernel void add(global const int *a, global const int *b, global int *c, uint n) {
	size_t i = get_global_id(0);
	if (i < n)
		c[i] = a[i] + b[i];
}

// Adds the numbers of a workgroup through local memory.
kernel void reduce(global const uint *in, global uint *sums, local uint *part, uint n) {
	size_t i = get_global_id(0), at = get_local_id(0);
	part[at] = i < n ? in[i] : 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (size_t step = get_local_size(0) / 2; step > 0; step /= 2) {
		if (at < step)
			part[at] += part[at + step];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (at == 0)
		sums[get_group_id(0)] = part[0];
}

// Counts the numbers of each of 16 bins, in local memory first, with the largest and the smallest.
kernel void atomics(global const int *in, global int *bins, global int *extremes, uint n) {
	local int mine[16];
	size_t i = get_global_id(0), at = get_local_id(0);
	if (at < 16)
		mine[at] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (i < n) {
		atomic_inc(&mine[in[i] & 15]);
		atomic_max(&extremes[0], in[i]);
		atomic_min(&extremes[1], in[i]);
		atomic_xor(&extremes[2], in[i]);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (at < 16)
		atomic_add(&bins[at], mine[at]);
}

// Adds floats by exchanges, as OpenCL C 1.2 has no atomic addition of them.
kernel void exchange(global float *sum, global const float *in) {
	global volatile uint *bits = (global volatile uint *)sum;
	uint old = *bits, seen;
	while ((seen = atomic_cmpxchg(bits, old, as_uint(as_float(old) + in[get_global_id(0)]))) != old)
		old = seen;
}

// Turns a picture by a quarter, and fetches one texel beyond its edge in each row.
kernel void turn(read_only image2d_t from, write_only image2d_t to, global uint4 *beyond) {
	const sampler_t clamped = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
	int x = get_global_id(0), y = get_global_id(1), height = get_image_height(from);
	write_imageui(to, (int2)(height - 1 - y, x), read_imageui(from, clamped, (int2)(x, y)));
	if (x == 0)
		beyond[y] = read_imageui(from, clamped, (int2)(-1, y));
}

// Samples between texels.
kernel void between(read_only image2d_t from, sampler_t linear, global float4 *out) {
	int x = get_global_id(0), y = get_global_id(1);
	out[y * get_global_size(0) + x] = read_imagef(from, linear, (float2)(x + 1.0f, y + 1.0f));
}

kernel void scale(global float *data, float by) { data[get_global_id(0)] *= by; }

// Leaves the ids of each work-item in two dimensions with offsets.
kernel void places(global uint *out, uint width) {
	uint x = get_global_id(0), y = get_global_id(1);
	out[(y - get_global_offset(1)) * width + x - get_global_offset(0)] =
	    x | y << 8 | (uint)get_local_id(0) << 16 | (uint)get_local_size(0) << 20 | (uint)get_group_id(1) << 24;
}

typedef struct {
	char sign;
	float factor;
	int4 shift;
	struct {
		short low, high;
	} bounds[2];
} settings;

kernel void by_value(settings s, global const int *in, global int *out) {
	size_t i = get_global_id(0);
	int v = convert_int_rtz(in[i] * s.factor) * s.sign + s.shift.w - s.shift.x;
	out[i] = clamp(v, (int)s.bounds[i & 1].low, (int)s.bounds[i & 1].high);
}

kernel void doubles(global const double *in, global double *out) {
	size_t i = get_global_id(0);
	out[i] = fma(in[i], in[i], sqrt(in[i]) / 3.0) + convert_double(convert_long(in[i]));
}

// The functions that libclc brings.
kernel void functions(global const float *in, global float4 *out) {
	float x = in[get_global_id(0)];
	out[get_global_id(0)] = (float4)(sin(x), exp(-x), pow(x, 1.5f), atan2(x, 2.0f));
}

constant int weights[4] = {1, -2, 3, -4};

// 8 and 64 bits, vectors and the tables of a program.
kernel void widths(global const uchar4 *in, global long *out) {
	size_t i = get_global_id(0);
	int4 v = convert_int4(in[i]);
	out[i] = ((long)(v.x * weights[0] + v.y * weights[1] + v.z * weights[2] + v.w * weights[3]) << 33) - popcount(as_uint(in[i]));
}

kernel void endless(global volatile int *flag) {
	while (*flag == 0)
		;
}

// More local memory than a workgroup may have.
kernel void greedy(global int *out) {
	local int space[1 << 20];
	space[get_local_id(0)] = out[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = space[get_local_size(0) - 1 - get_local_id(0)];
}
