// Fourier transforms by VkFFT, a library that writes its shaders when it runs,
// against a direct sum in double precision: one to three dimensions, lengths of
// every radix it has and of none (Bluestein), single, double and half precision,
// complex, real and cosine transforms.
//
// The bounds are on the error's root mean square over that of the result: a few
// units in the last place of the precision, as rounding errors grow with log n.
#include <math.h>
#include "vk.h"

#include "vkfft.h"

typedef enum { SINGLE, DOUBLE, HALF } precision;
static const struct {
	const char *name;
	size_t bytes; // of a number
	double bound;
} precisions[] = {{"single", 4, 1e-6}, {"double", 8, 3e-15}, {"half", 2, 1e-3}};

// Numbers of the three precisions in a buffer

static void put(const buffer *b, precision p, size_t i, double v) {
	if (p == SINGLE)
		b->f32[i] = (float)v;
	else if (p == DOUBLE)
		b->f64[i] = v;
	else
		((_Float16 *)b->bytes)[i] = (_Float16)v;
}

static double get(const buffer *b, precision p, size_t i) {
	return p == SINGLE ? (double)b->f32[i] : p == DOUBLE ? b->f64[i] : (double)((_Float16 *)b->bytes)[i];
}

// noise is a number in [-1, 1) that half precision holds: of 9 bits.
static double noise(uint32_t i) {
	uint32_t h = (i + 1) * 0x9e3779b9u;
	h = (h ^ h >> 15) * 0x85ebca6bu;
	return (double)((h ^ h >> 13) & 511) / 256 - 1;
}

// transform sums directly along one axis of n points that stand stride apart, of complex numbers.
static void transform(double *data, size_t n, size_t stride, double *room, double sign) {
	for (size_t k = 0; k < n; k++) {
		double re = 0, im = 0;
		for (size_t j = 0; j < n; j++) {
			double a = sign * 2 * M_PI * (double)(j * k % n) / (double)n, c = cos(a), s = sin(a);
			double x = data[2 * j * stride], y = data[2 * j * stride + 1];
			re += x * c - y * s, im += x * s + y * c;
		}
		room[2 * k] = re, room[2 * k + 1] = im;
	}
	for (size_t k = 0; k < n; k++)
		data[2 * k * stride] = room[2 * k], data[2 * k * stride + 1] = room[2 * k + 1];
}

static void transform_all(double *data, const uint64_t size[3], double sign) {
	size_t all = size[0] * size[1] * size[2], stride = 1;
	double *room = malloc(2 * all * sizeof *room);
	for (int axis = 0; axis < 3; stride *= size[axis++])
		for (size_t i = 0; i < all; i++)
			if (i / stride % size[axis] == 0 && size[axis] > 1)
				transform(data + 2 * i, size[axis], stride, room, sign);
	free(room);
}

// A plan of the library over one buffer.

typedef struct {
	fft *app;
	VkFence fence;
	buffer data;
} plan;

static bool make_plan(plan *p, fft_wanted wanted, uint64_t bytes) {
	memset(p, 0, sizeof *p);
	p->data = host_buffer(bytes);
	must(vkCreateFence(device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL, &p->fence));
	KEEP(FENCE, p->fence);
	fft_device on = {physical, device, queue, pool, p->fence, p->data.buffer, bytes};
	int result = fft_make(&p->app, &on, &wanted);
	check(result == 0, "initializeVkFFT gave %d for %d x %d x %d", result, (int)wanted.size[0], (int)wanted.size[1], (int)wanted.size[2]);
	return result == 0;
}

// apply runs the plan forward (-1) or back (1).
static void apply(plan *p, int direction) {
	VkCommandBuffer c = begin();
	int result = fft_append(p->app, direction, c);
	check(result == 0, "VkFFTAppend gave %d", result);
	finish(c);
}

static bool lacks(precision p) {
	if (p == DOUBLE && !features.features.shaderFloat64)
		return true;
	return p == HALF && (!features12.shaderFloat16 || !features11.storageBuffer16BitAccess);
}

static fft_wanted wanted_of(precision p, const uint64_t size[3]) {
	fft_wanted wanted = {.dimensions = size[2] > 1 ? 3 : size[1] > 1 ? 2 : 1, .in_double = p == DOUBLE, .in_half = p == HALF};
	memcpy(wanted.size, size, sizeof wanted.size);
	return wanted;
}

// off is the root mean square of the difference over that of what is wanted.
static double off(const buffer *found, precision p, const double *want, size_t n) {
	double difference = 0, whole = 0;
	for (size_t i = 0; i < n; i++) {
		double d = get(found, p, i) - want[i];
		difference += d * d, whole += want[i] * want[i];
	}
	return sqrt(difference / whole);
}

static void judge(const char *what, const plan *p, precision of, const uint64_t size[3], const double *want, size_t n) {
	double error = off(&p->data, of, want, n), bound = precisions[of].bound;
	if (getenv("VERBOSE"))
		printf("%s, %s precision, %d x %d x %d: error %.2e\n", what, precisions[of].name, (int)size[0], (int)size[1], (int)size[2], error);
	check(error <= bound, "%s, %s precision, %d x %d x %d: error %.2e, want at most %.2e", what, precisions[of].name, (int)size[0], (int)size[1], (int)size[2], error, bound);
}

// complex transforms noise forward, compares, transforms back, compares with the noise.
static void complex_transform(precision p, uint64_t x, uint64_t y, uint64_t z) {
	uint64_t size[3] = {x, y, z};
	size_t n = 2 * x * y * z;
	double *want = malloc(n * sizeof *want), *first = malloc(n * sizeof *first);
	plan f;
	if (make_plan(&f, wanted_of(p, size), n * precisions[p].bytes)) {
		for (size_t i = 0; i < n; i++)
			put(&f.data, p, i, want[i] = first[i] = noise((uint32_t)i));
		transform_all(want, size, -1);
		apply(&f, -1);
		judge("forward", &f, p, size, want, n);
		apply(&f, 1);
		judge("back", &f, p, size, first, n);
		fft_free(f.app);
	}
	free(want), free(first);
	must(vkDeviceWaitIdle(device));
	free_made();
}

static void lengths(precision p, const uint32_t *of, size_t n) {
	if (lacks(p))
		return skip(precisions[p].name);
	for (size_t i = 0; i < n; i++)
		complex_transform(p, of[i], 1, 1);
}

// Lengths of each radix alone and of several together.
static const uint32_t radix_lengths[] = {2, 4, 8, 64, 1024, 3, 9, 81, 5, 125, 7, 49, 11, 121, 13, 169, 2 * 3 * 5 * 7, 11 * 13 * 4};
// Lengths with primes above 13, which Bluestein's algorithm does.
static const uint32_t other_lengths[] = {17, 19 * 2, 101, 257};

static void single_radix(void) { lengths(SINGLE, radix_lengths, COUNT(radix_lengths)); }
static void single_bluestein(void) { lengths(SINGLE, other_lengths, COUNT(other_lengths)); }
static void double_radix(void) { lengths(DOUBLE, radix_lengths, COUNT(radix_lengths)); }
static void double_bluestein(void) { lengths(DOUBLE, other_lengths, COUNT(other_lengths)); }
static void half_radix(void) { lengths(HALF, radix_lengths, COUNT(radix_lengths)); }

static void two_dimensions(void) {
	complex_transform(SINGLE, 16, 12, 1);
	complex_transform(SINGLE, 7, 64, 1);
	complex_transform(SINGLE, 34, 5, 1); // Bluestein along one axis
	if (!lacks(DOUBLE))
		complex_transform(DOUBLE, 16, 12, 1);
	if (!lacks(HALF))
		complex_transform(HALF, 16, 16, 1);
}

static void three_dimensions(void) {
	complex_transform(SINGLE, 8, 6, 10);
	complex_transform(SINGLE, 3, 11, 13);
	if (!lacks(DOUBLE))
		complex_transform(DOUBLE, 8, 6, 10);
}

// Too long for the LDS: the library splits it into passes.
static void long_transform(void) { complex_transform(SINGLE, 8192, 1, 1); }

static void real_to_complex(void) {
	const uint64_t size[3] = {24, 10, 1};
	size_t rows = size[1], row = size[0] / 2 + 1; // complex numbers of a row of the result
	fft_wanted wanted = wanted_of(SINGLE, size);
	wanted.real = 1;
	double whole[2 * 24 * 10], *want = malloc(2 * row * rows * sizeof *want);
	plan f;
	if (make_plan(&f, wanted, 2 * row * rows * 4)) {
		for (size_t i = 0; i < size[0] * rows; i++) {
			whole[2 * i] = noise((uint32_t)i), whole[2 * i + 1] = 0;
			f.data.f32[i / size[0] * 2 * row + i % size[0]] = (float)whole[2 * i];
		}
		transform_all(whole, size, -1);
		for (size_t i = 0; i < row * rows; i++)
			memcpy(want + 2 * i, whole + 2 * (i / row * size[0] + i % row), 2 * sizeof *want);
		apply(&f, -1);
		judge("real to complex", &f, SINGLE, size, want, 2 * row * rows);
		fft_free(f.app);
	}
	free(want);
}

// The cosine transform that is usually meant: type 2.
static void cosine(void) {
	const uint64_t size[3] = {48, 1, 1};
	fft_wanted wanted = wanted_of(SINGLE, size);
	wanted.cosine = 2;
	double want[48];
	plan f;
	if (make_plan(&f, wanted, 48 * 4)) {
		for (uint32_t i = 0; i < 48; i++)
			f.data.f32[i] = (float)noise(i);
		for (uint32_t k = 0; k < 48; k++) {
			want[k] = 0;
			for (uint32_t j = 0; j < 48; j++)
				want[k] += 2 * noise(j) * cos(M_PI * k * (2 * j + 1) / 96.0);
		}
		apply(&f, -1);
		judge("cosine", &f, SINGLE, size, want, 48);
		fft_free(f.app);
	}
}

int main(int count, char **words) {
	start(count, words, NULL);
	fft_start();
	TEST(single_radix);
	TEST(single_bluestein);
	TEST(double_radix);
	TEST(double_bluestein);
	TEST(half_radix);
	TEST(two_dimensions);
	TEST(three_dimensions);
	TEST(long_transform);
	TEST(real_to_complex);
	TEST(cosine);
	fft_stop();
	return stop();
}
