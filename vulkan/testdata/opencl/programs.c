// An OpenCL program of many tests, each of which prints "ok NAME" or "FAIL NAME: ...".
//
//	gcc -I vulkan/testdata -o programs programs.c -lOpenCL -lm
//	programs FILE [TEST]     FILE has the kernels
//
// Kernels are compared with loops of the host. The tests greedy and endless run only
// when named, as a program that goes on after them has a broken device.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results.h"

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;

// must ends the program when a call fails: what follows would mean nothing.
#define must(call)                                                                     \
	do {                                                                               \
		cl_int must_result = (call);                                                   \
		if (must_result != CL_SUCCESS) {                                               \
			printf("FAIL %s: %s gave %d, want CL_SUCCESS\n", test_name, #call, must_result); \
			exit(1);                                                                   \
		}                                                                              \
	} while (0)

#define near(what, at, found, wanted, error)                                           \
	do {                                                                               \
		double found_ = (found), wanted_ = (wanted);                                   \
		if (!(fabs(found_ - wanted_) <= (error)*fmax(1, fabs(wanted_))))               \
			fail("%s[%d] = %.17g, want %.17g", what, (int)(at), found_, wanted_);      \
	} while (0)

static uint32_t drawn = 1;
static uint32_t draw(void) { return drawn = drawn * 1664525 + 1013904223; }

static cl_mem buffer(size_t size, const void *data) {
	cl_int result;
	cl_mem m = clCreateBuffer(context, CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0), size, (void *)data, &result);
	must(result);
	return m;
}

static void get(cl_mem m, size_t size, void *data) { must(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, size, data, 0, NULL, NULL)); }

// An argument of a kernel; local memory has no value.
typedef struct {
	size_t size;
	const void *value;
} argument;
#define ARG(x) {sizeof(x), &(x)}
#define LOCAL(size) {size, NULL}

static cl_kernel kernel_with(const char *name, int count, const argument *arguments) {
	cl_int result;
	cl_kernel k = clCreateKernel(program, name, &result);
	must(result);
	for (int i = 0; i < count; i++)
		must(clSetKernelArg(k, i, arguments[i].size, arguments[i].value));
	return k;
}
#define KERNEL(name, ...) kernel_with(name, sizeof((argument[]){__VA_ARGS__}) / sizeof(argument), (argument[]){__VA_ARGS__})

static void run(cl_kernel k, size_t global, size_t local) {
	must(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, local ? &local : NULL, 0, NULL, NULL));
	must(clReleaseKernel(k));
}

static void add(void) {
	enum { N = 1000 }; // no multiple of the group of 64
	int a[N], b[N], c[N];
	for (int i = 0; i < N; i++)
		a[i] = draw(), b[i] = draw(), c[i] = 0;
	cl_mem ma = buffer(sizeof a, a), mb = buffer(sizeof b, b), mc = buffer(sizeof c, c);
	cl_uint n = N;
	run(KERNEL("add", ARG(ma), ARG(mb), ARG(mc), ARG(n)), 1024, 64);
	get(mc, sizeof c, c);
	for (int i = 0; i < N; i++)
		same("sum", i, c[i], (int)((uint32_t)a[i] + (uint32_t)b[i]));
	clReleaseMemObject(ma), clReleaseMemObject(mb), clReleaseMemObject(mc);
}

// The implementation picks a group for sizes that have few divisors.
static void odd_sizes(void) {
	const size_t sizes[] = {1, 7, 61, 257, 1009, 30 * 31};
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		size_t n = sizes[s];
		int *a = malloc(n * 4), *c = malloc(n * 4);
		for (size_t i = 0; i < n; i++)
			a[i] = draw();
		cl_mem ma = buffer(n * 4, a), mc = buffer(n * 4, NULL);
		cl_uint count = n;
		run(KERNEL("add", ARG(ma), ARG(ma), ARG(mc), ARG(count)), n, 0);
		get(mc, n * 4, c);
		for (size_t i = 0; i < n; i++)
			same("sum", i, c[i], (int)(2 * (uint32_t)a[i]));
		clReleaseMemObject(ma), clReleaseMemObject(mc);
		free(a), free(c);
	}
}

static void reduction(void) {
	enum { N = 5000, GROUP = 128, GROUPS = 40 };
	uint32_t in[N], sums[GROUPS];
	for (int i = 0; i < N; i++)
		in[i] = draw();
	cl_mem from = buffer(sizeof in, in), to = buffer(sizeof sums, NULL);
	cl_uint n = N;
	run(KERNEL("reduce", ARG(from), ARG(to), LOCAL(GROUP * 4), ARG(n)), GROUPS * GROUP, GROUP);
	get(to, sizeof sums, sums);
	for (int g = 0; g < GROUPS; g++) {
		uint32_t want = 0;
		for (int i = g * GROUP; i < (g + 1) * GROUP && i < N; i++)
			want += in[i];
		same("sum", g, sums[g], want);
	}
	clReleaseMemObject(from), clReleaseMemObject(to);
}

static void atomics(void) {
	enum { N = 3000 };
	int in[N], bins[16] = {0}, extremes[3] = {INT32_MIN, INT32_MAX, 0}, want[16] = {0}, wanted[3] = {INT32_MIN, INT32_MAX, 0};
	for (int i = 0; i < N; i++) {
		in[i] = draw() >> 7;
		want[in[i] & 15]++;
		wanted[0] = in[i] > wanted[0] ? in[i] : wanted[0];
		wanted[1] = in[i] < wanted[1] ? in[i] : wanted[1];
		wanted[2] ^= in[i];
	}
	cl_mem from = buffer(sizeof in, in), b = buffer(sizeof bins, bins), e = buffer(sizeof extremes, extremes);
	cl_uint n = N;
	run(KERNEL("atomics", ARG(from), ARG(b), ARG(e), ARG(n)), 3072, 64);
	get(b, sizeof bins, bins);
	get(e, sizeof extremes, extremes);
	for (int i = 0; i < 16; i++)
		same("bin", i, bins[i], want[i]);
	for (int i = 0; i < 3; i++)
		same("extreme", i, extremes[i], wanted[i]);
	float values[256], sum = 0, total = 0;
	for (int i = 0; i < 256; i++)
		values[i] = draw() >> 24, total += values[i]; // whole numbers: exact in any order
	cl_mem s = buffer(4, &sum), v = buffer(sizeof values, values);
	run(KERNEL("exchange", ARG(s), ARG(v)), 256, 64);
	get(s, 4, &sum);
	near("float sum", 0, sum, total, 0);
	clReleaseMemObject(from), clReleaseMemObject(b), clReleaseMemObject(e), clReleaseMemObject(s), clReleaseMemObject(v);
}

static cl_mem image(cl_channel_type type, size_t width, size_t height, void *data) {
	cl_image_format format = {CL_RGBA, type};
	cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height};
	cl_int result;
	cl_mem m = clCreateImage(context, CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0), &format, &shape, data, &result);
	must(result);
	return m;
}

static void images(void) {
	enum { W = 24, H = 10 };
	uint8_t in[H][W][4], out[W][H][4];
	uint32_t beyond[H][4];
	for (int i = 0; i < W * H * 4; i++)
		(&in[0][0][0])[i] = draw() >> 24;
	cl_mem from = image(CL_UNSIGNED_INT8, W, H, in), to = image(CL_UNSIGNED_INT8, H, W, NULL), edge = buffer(sizeof beyond, NULL);
	cl_kernel k = KERNEL("turn", ARG(from), ARG(to), ARG(edge));
	size_t global[] = {W, H}, origin[3] = {0}, region[] = {H, W, 1};
	must(clEnqueueNDRangeKernel(queue, k, 2, NULL, global, NULL, 0, NULL, NULL));
	must(clEnqueueReadImage(queue, to, CL_TRUE, origin, region, 0, 0, out, 0, NULL, NULL));
	get(edge, sizeof beyond, beyond);
	for (int y = 0; y < H; y++)
		for (int c = 0; c < 4; c++) {
			same("texel beyond the edge", y, beyond[y][c], in[y][0][c]);
			for (int x = 0; x < W; x++)
				same("turned texel", y * W + x, out[x][H - 1 - y][c], in[y][x][c]);
		}
	clReleaseKernel(k), clReleaseMemObject(from), clReleaseMemObject(to), clReleaseMemObject(edge);
}

static void samplers(void) {
	enum { W = 8, H = 8 };
	float in[H][W][4], out[H - 1][W - 1][4];
	for (int i = 0; i < W * H * 4; i++)
		(&in[0][0][0])[i] = draw() >> 24; // quarters of sums of whole numbers are exact
	cl_int result;
	cl_sampler linear = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR, &result);
	must(result);
	cl_mem from = image(CL_FLOAT, W, H, in), to = buffer(sizeof out, NULL);
	cl_kernel k = KERNEL("between", ARG(from), ARG(linear), ARG(to));
	size_t global[] = {W - 1, H - 1};
	must(clEnqueueNDRangeKernel(queue, k, 2, NULL, global, NULL, 0, NULL, NULL));
	get(to, sizeof out, out);
	for (int y = 0; y < H - 1; y++)
		for (int x = 0; x < W - 1; x++)
			for (int c = 0; c < 4; c++)
				near("sample", y * W + x, out[y][x][c], (in[y][x][c] + in[y][x + 1][c] + in[y + 1][x][c] + in[y + 1][x + 1][c]) / 4, 1e-6);
	clReleaseKernel(k), clReleaseMemObject(from), clReleaseMemObject(to), clReleaseSampler(linear);
}

static void map(void) {
	enum { N = 512 };
	cl_int result;
	cl_mem m = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, N * sizeof(float), NULL, &result);
	must(result);
	float *data = clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, N * sizeof(float), 0, NULL, NULL, &result);
	must(result);
	for (int i = 0; i < N; i++)
		data[i] = i;
	must(clEnqueueUnmapMemObject(queue, m, data, 0, NULL, NULL));
	float by = 3;
	run(KERNEL("scale", ARG(m), ARG(by)), N, 64);
	data = clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 128 * sizeof(float), 128 * sizeof(float), 0, NULL, NULL, &result);
	must(result);
	for (int i = 0; i < 128; i++) {
		near("mapped", i, data[i], 3 * (128 + i), 0);
		data[i] = -1;
	}
	must(clEnqueueUnmapMemObject(queue, m, data, 0, NULL, NULL));
	float out[N];
	get(m, sizeof out, out);
	for (int i = 0; i < N; i++)
		near("after the map", i, out[i], i >= 128 && i < 256 ? -1 : 3 * i, 0);
	clReleaseMemObject(m);
	// Memory of the program.
	float own[N];
	for (int i = 0; i < N; i++)
		own[i] = i;
	m = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, sizeof own, own, &result);
	must(result);
	run(KERNEL("scale", ARG(m), ARG(by)), N, 64);
	data = clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_READ, 0, sizeof own, 0, NULL, NULL, &result);
	must(result);
	for (int i = 0; i < N; i++)
		near("the program's memory", i, data[i], 3 * i, 0);
	must(clEnqueueUnmapMemObject(queue, m, data, 0, NULL, NULL));
	must(clFinish(queue));
	clReleaseMemObject(m);
}

// Copies, fills, rectangles and parts of buffers.
static void transfers(void) {
	enum { N = 256 };
	uint32_t in[N], out[N], pattern = 0xabcd1234;
	for (int i = 0; i < N; i++)
		in[i] = draw();
	cl_mem a = buffer(sizeof in, in), b = buffer(sizeof in, NULL);
	must(clEnqueueFillBuffer(queue, b, &pattern, 4, 0, sizeof in, 0, NULL, NULL));
	must(clEnqueueCopyBuffer(queue, a, b, 64, 256, 128, 0, NULL, NULL));
	get(b, sizeof out, out);
	for (int i = 0; i < N; i++)
		same("copy", i, out[i], i >= 64 && i < 96 ? in[i - 48] : pattern);
	// The 4 x 4 words at (2, 3) of rows of 16.
	size_t from[] = {8, 3, 0}, to[3] = {0}, region[] = {16, 4, 1};
	must(clEnqueueReadBufferRect(queue, a, CL_TRUE, from, to, region, 64, 0, 16, 0, out, 0, NULL, NULL));
	for (int i = 0; i < 16; i++)
		same("rectangle", i, out[i], in[(3 + i / 4) * 16 + 2 + i % 4]);
	cl_int result;
	cl_buffer_region half = {512, 512};
	cl_mem part = clCreateSubBuffer(a, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &half, &result);
	must(result);
	cl_uint n = 128;
	run(KERNEL("add", ARG(part), ARG(part), ARG(b), ARG(n)), 128, 64);
	get(b, 512, out);
	for (int i = 0; i < 128; i++)
		same("part", i, out[i], 2 * in[128 + i]);
	clReleaseMemObject(part), clReleaseMemObject(a), clReleaseMemObject(b);
}

static cl_ulong when(cl_event e, cl_profiling_info which) {
	cl_ulong at = 0;
	must(clGetEventProfilingInfo(e, which, sizeof at, &at, NULL));
	return at;
}

// Times of events are in order, and a hundred times the work takes longer where the mode has times.
static void profiling(void) {
	cl_int result;
	cl_command_queue timed = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &result);
	must(result);
	cl_mem m = buffer(1 << 20, NULL);
	float by = 1;
	cl_kernel k = KERNEL("scale", ARG(m), ARG(by));
	cl_ulong last = 0, took[3];
	for (int i = 0; i < 3; i++) {
		size_t global = i == 2 ? 1 << 18 : 256, local = 256;
		cl_event e;
		must(clEnqueueNDRangeKernel(timed, k, 1, NULL, &global, &local, 0, NULL, &e));
		must(clWaitForEvents(1, &e));
		cl_ulong start = when(e, CL_PROFILING_COMMAND_START), end = when(e, CL_PROFILING_COMMAND_END);
		cl_ulong queued = when(e, CL_PROFILING_COMMAND_QUEUED), submitted = when(e, CL_PROFILING_COMMAND_SUBMIT);
		if (queued > submitted || submitted > start)
			fail("event %d: queued at %" PRIu64 ", submitted at %" PRIu64 ", started at %" PRIu64 " ns", i, queued, submitted, start);
		if (start > end || start < last)
			fail("event %d: %" PRIu64 " to %" PRIu64 " ns, after %" PRIu64, i, start, end, last);
		last = end;
		took[i] = end - start;
		must(clReleaseEvent(e));
	}
	const char *mode = getenv("SPVSIM_MODE");
	if (!(mode && !strcmp(mode, "functional")) && (took[0] == 0 || took[2] <= took[1]))
		fail("one group took %" PRIu64 " and %" PRIu64 " ns, a thousand %" PRIu64, took[0], took[1], took[2]);
	clReleaseKernel(k), clReleaseMemObject(m), clReleaseCommandQueue(timed);
}

// Each queue continues with the other's result, in the order that events give.
static void two_queues(void) {
	cl_int result;
	cl_command_queue other = clCreateCommandQueue(context, device, 0, &result);
	must(result);
	enum { N = 256 };
	float data[N];
	for (int i = 0; i < N; i++)
		data[i] = i;
	cl_mem m = buffer(sizeof data, data);
	float two = 2, three = 3;
	cl_kernel k2 = KERNEL("scale", ARG(m), ARG(two)), k3 = KERNEL("scale", ARG(m), ARG(three));
	size_t global = N;
	cl_event e = NULL, user = clCreateUserEvent(context, &result);
	must(result);
	for (int i = 0; i < 6; i++) {
		cl_event next, before = e ? e : user;
		must(clEnqueueNDRangeKernel(i & 1 ? other : queue, i & 1 ? k3 : k2, 1, NULL, &global, NULL, 1, &before, &next));
		must(clFlush(i & 1 ? other : queue));
		if (e)
			clReleaseEvent(e);
		e = next;
	}
	must(clSetUserEventStatus(user, CL_COMPLETE));
	must(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof data, data, 1, &e, NULL));
	for (int i = 0; i < N; i++)
		near("product", i, data[i], i * 216.0, 0);
	clReleaseEvent(e), clReleaseEvent(user), clReleaseKernel(k2), clReleaseKernel(k3), clReleaseMemObject(m), clReleaseCommandQueue(other);
}

static void places(void) {
	enum { W = 12, H = 6 };
	uint32_t out[H][W];
	cl_mem m = buffer(sizeof out, NULL);
	cl_uint width = W;
	cl_kernel k = KERNEL("places", ARG(m), ARG(width));
	size_t offset[] = {5, 9}, global[] = {W, H}, local[] = {4, 3};
	must(clEnqueueNDRangeKernel(queue, k, 2, offset, global, local, 0, NULL, NULL));
	get(m, sizeof out, out);
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++)
			same("place", y * W + x, out[y][x], (x + 5) | (y + 9) << 8 | (x % 4) << 16 | 4 << 20 | (uint32_t)(y / 3) << 24);
	clReleaseKernel(k), clReleaseMemObject(m);
}

static void structures(void) {
	enum { N = 128 };
	struct {
		int8_t sign;
		float factor;
		int32_t shift[4] __attribute__((aligned(16)));
		int16_t bounds[2][2];
	} __attribute__((aligned(16))) s = {-3, 1.5f, {7, 0, 0, 19}, {{-3000, 2000}, {-100, 100}}};
	int in[N], out[N];
	for (int i = 0; i < N; i++)
		in[i] = (int)(draw() >> 21) - 1024;
	cl_mem from = buffer(sizeof in, in), to = buffer(sizeof out, NULL);
	run(KERNEL("by_value", ARG(s), ARG(from), ARG(to)), N, 32);
	get(to, sizeof out, out);
	for (int i = 0; i < N; i++) {
		int v = (int)(in[i] * s.factor) * s.sign + 12, *b = (int[]){s.bounds[i & 1][0], s.bounds[i & 1][1]};
		same("result", i, out[i], v < b[0] ? b[0] : v > b[1] ? b[1] : v);
	}
	clReleaseMemObject(from), clReleaseMemObject(to);
}

static void doubles(void) {
	enum { N = 200 };
	double in[N], out[N];
	for (int i = 0; i < N; i++)
		in[i] = draw() / 1048576.0;
	cl_mem from = buffer(sizeof in, in), to = buffer(sizeof out, NULL);
	run(KERNEL("doubles", ARG(from), ARG(to)), N, 0);
	get(to, sizeof out, out);
	for (int i = 0; i < N; i++)
		near("result", i, out[i], fma(in[i], in[i], sqrt(in[i]) / 3) + trunc(in[i]), 1e-15);
	clReleaseMemObject(from), clReleaseMemObject(to);
}

static void functions(void) {
	enum { N = 256 };
	float in[N], out[N][4];
	for (int i = 0; i < N; i++)
		in[i] = (draw() >> 8) / 1048576.0f; // 0 to 16
	cl_mem from = buffer(sizeof in, in), to = buffer(sizeof out, NULL);
	run(KERNEL("functions", ARG(from), ARG(to)), N, 64);
	get(to, sizeof out, out);
	for (int i = 0; i < N; i++) {
		near("sin", i, out[i][0], sin(in[i]), 1e-6);
		near("exp", i, out[i][1], exp(-in[i]), 1e-6);
		near("pow", i, out[i][2], pow(in[i], 1.5), 2e-6);
		near("atan2", i, out[i][3], atan2(in[i], 2), 1e-6);
	}
	clReleaseMemObject(from), clReleaseMemObject(to);
}

static void widths(void) {
	enum { N = 100 };
	uint8_t in[N][4];
	int64_t out[N];
	for (int i = 0; i < N * 4; i++)
		(&in[0][0])[i] = draw() >> 24;
	cl_mem from = buffer(sizeof in, in), to = buffer(sizeof out, NULL);
	run(KERNEL("widths", ARG(from), ARG(to)), N, 0);
	get(to, sizeof out, out);
	for (int i = 0; i < N; i++) {
		uint32_t word;
		memcpy(&word, in[i], 4);
		int64_t sum = in[i][0] - 2 * in[i][1] + 3 * in[i][2] - 4 * in[i][3];
		same("result", i, out[i], sum * (INT64_C(1) << 33) - __builtin_popcount(word));
	}
	clReleaseMemObject(from), clReleaseMemObject(to);
}

// Sums, scans and exchanges within sub-groups, which OpenCL C 3.0 has.
static void subgroups(void) {
	const char *text = "kernel void within(global const int *in, global int4 *out) {\n"
	                   "	size_t i = get_global_id(0);\n"
	                   "	int size = get_sub_group_size();\n"
	                   "	out[i] = (int4)(size, sub_group_reduce_add(in[i]), sub_group_scan_exclusive_add(in[i]), sub_group_broadcast(in[i], size - 1));\n"
	                   "}\n";
	enum { N = 512, GROUP = 128 };
	int in[N], out[N][4];
	for (int i = 0; i < N; i++)
		in[i] = draw() >> 16;
	cl_int result;
	cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &result), kernels = program;
	must(result);
	must(clBuildProgram(p, 1, &device, "-cl-std=CL3.0", NULL, NULL));
	cl_mem from = buffer(sizeof in, in), to = buffer(sizeof out, NULL);
	program = p;
	run(KERNEL("within", ARG(from), ARG(to)), N, GROUP);
	program = kernels;
	get(to, sizeof out, out);
	int size = out[0][0];
	if (size < 1 || GROUP % size != 0) {
		fail("a sub-group has %d work-items, want a divisor of %d", size, GROUP);
		size = 1;
	}
	for (int first = 0; first < N; first += size) {
		int sum = 0, before = 0;
		for (int i = first; i < first + size; i++)
			sum += in[i];
		for (int i = first; i < first + size; i++) {
			same("size", i, out[i][0], size);
			same("sum", i, out[i][1], sum);
			same("sum before", i, out[i][2], before);
			same("last", i, out[i][3], in[first + size - 1]);
			before += in[i];
		}
	}
	clReleaseMemObject(from), clReleaseMemObject(to), clReleaseProgram(p);
}

// A kernel that does not compile gives an error and a log.
static void mistake(void) {
	const char *text = "kernel void wrong(global int *a) { a[0] = missing; }";
	cl_int result;
	cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &result);
	must(result);
	result = clBuildProgram(p, 1, &device, "", NULL, NULL);
	if (result != CL_BUILD_PROGRAM_FAILURE)
		fail("clBuildProgram gave %d, want CL_BUILD_PROGRAM_FAILURE", result);
	char log[4096] = "";
	must(clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
	if (!strstr(log, "missing"))
		fail("the log does not name the word: %s", log);
	clReleaseProgram(p);
}

// What only a named test runs: a launch whose codes a program may not look at.
static void unchecked(const char *kernel) {
	int zero[64] = {0};
	cl_mem m = buffer(sizeof zero, zero);
	cl_kernel k = clCreateKernel(program, kernel, NULL);
	if (k)
		clSetKernelArg(k, 0, sizeof m, &m);
	size_t global = 64;
	cl_int launched = k ? clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &global, 0, NULL, NULL) : CL_INVALID_KERNEL;
	cl_int finished = clFinish(queue);
	printf("%s: launch %d, finish %d\n", kernel, launched, finished);
}
static void greedy(void) { unchecked("greedy"); }
static void endless(void) { unchecked("endless"); }

static const struct {
	const char *name;
	void (*body)(void);
	bool named; // only when named
} tests[] = {
    {"add", add, false},
    {"odd_sizes", odd_sizes, false},
    {"reduction", reduction, false},
    {"atomics", atomics, false},
    {"images", images, false},
    {"samplers", samplers, false},
    {"map", map, false},
    {"transfers", transfers, false},
    {"profiling", profiling, false},
    {"two_queues", two_queues, false},
    {"places", places, false},
    {"structures", structures, false},
    {"doubles", doubles, false},
    {"functions", functions, false},
    {"widths", widths, false},
    {"subgroups", subgroups, false},
    {"mistake", mistake, false},
    {"greedy", greedy, true},
    {"endless", endless, true},
};

static void build(const char *path) {
	FILE *f = fopen(path, "r");
	if (!f) {
		perror(path);
		exit(1);
	}
	static char text[1 << 16];
	size_t size = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	const char *source = text;
	cl_int result;
	program = clCreateProgramWithSource(context, 1, &source, &size, &result);
	must(result);
	result = clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL);
	if (result != CL_SUCCESS) {
		static char log[1 << 14];
		clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
		printf("FAIL start: clBuildProgram gave %d\n%s\n", result, log);
		exit(1);
	}
}

int main(int argc, char **argv) {
	if (argc < 2) {
		fprintf(stderr, "usage: programs FILE [TEST]\n");
		return 2;
	}
	cl_platform_id platform;
	cl_int result;
	must(clGetPlatformIDs(1, &platform, NULL));
	must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL));
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &result);
	must(result);
	queue = clCreateCommandQueue(context, device, 0, &result);
	must(result);
	build(argv[1]);
	int ran = 0;
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
		if (argc > 2 ? strcmp(argv[2], tests[i].name) : tests[i].named)
			continue;
		begin_test(tests[i].name);
		tests[i].body();
		must(clFinish(queue));
		end_test(false);
		ran++;
	}
	if (ran == 0) {
		fprintf(stderr, "programs: there is no test %s\n", argv[2]);
		return 2;
	}
	clReleaseProgram(program), clReleaseCommandQueue(queue), clReleaseContext(context);
	return faults > 0;
}
