// Integer dot products of packed bytes.
#include "vk.h"

enum { N = 16 };

static int64_t dot(uint32_t a, uint32_t b, bool a_signed, bool b_signed) {
	int64_t sum = 0;
	for (int i = 0; i < 32; i += 8) {
		int64_t x = a_signed ? (int8_t)(a >> i) : (uint8_t)(a >> i), y = b_signed ? (int8_t)(b >> i) : (uint8_t)(b >> i);
		sum += x * y;
	}
	return sum;
}

static int64_t saturated(int64_t v) { return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v; }

static void packed(void) {
	if (!features13.shaderIntegerDotProduct)
		return skip("shaderIntegerDotProduct");
	kernel k = kernel_of("dot", "bb", 0);
	buffer in = host_buffer(16 * N), out = host_buffer(16 * N);
	const uint32_t sums[] = {0, INT32_MAX - 100, 0x80000010, 5};
	for (uint32_t i = 0; i < N; i++)
		in.u32[4 * i] = i * 0x9e3779b9 + 0x80ff7f01, in.u32[4 * i + 1] = i * i * 0x85ebca6b + 0xff80017f, in.u32[4 * i + 2] = sums[i % 4];
	run(k, set_with(k.set_layout, &in, &out, NULL), NULL, 0, 1);
	for (uint32_t i = 0; i < N; i++) {
		uint32_t a = in.u32[4 * i], b = in.u32[4 * i + 1];
		same("signed", i, out.i32[4 * i], dot(a, b, true, true));
		same("unsigned", i, out.u32[4 * i + 1], dot(a, b, false, false));
		same("mixed", i, out.i32[4 * i + 2], dot(a, b, true, false));
		same("saturated", i, out.i32[4 * i + 3], saturated(dot(a, b, true, true) + in.i32[4 * i + 2]));
	}
}

int main(int count, char **words) {
	start(count, words, NULL);
	TEST(packed);
	return stop();
}
