// Storage and arithmetic of 8, 16 and 64 bits; atomics of 32 and 64.
#include <math.h>
#include "vk.h"

enum { N = 128 };

// four makes a kernel of four buffers, each of N elements of so many bytes.
static VkDescriptorSet four(kernel k, buffer b[4], VkDeviceSize s0, VkDeviceSize s1, VkDeviceSize s2, VkDeviceSize s3) {
	VkDeviceSize sizes[] = {s0, s1, s2, s3};
	for (int i = 0; i < 4; i++)
		b[i] = host_buffer(N * sizes[i]);
	return set_with(k.set_layout, b, b + 1, b + 2, b + 3, NULL);
}

static void bytes(void) {
	if (!features12.shaderInt8 || !features12.storageBuffer8BitAccess)
		return skip("shaderInt8 with storageBuffer8BitAccess");
	kernel k = kernel_of("bytes", "bbbb", 0);
	buffer b[4];
	VkDescriptorSet set = four(k, b, 1, 1, 1, 1);
	for (int i = 0; i < N; i++)
		b[0].u8[i] = (uint8_t)(i * 37 + 11), b[1].u8[i] = (uint8_t)(i * 101);
	run(k, set, NULL, 0, N / 64);
	for (int i = 0; i < N; i++) {
		int8_t a = (int8_t)b[0].u8[i];
		uint8_t u = b[1].u8[i];
		same("signed byte", i, (int8_t)b[2].u8[i], (int8_t)(a * 3 - (int8_t)(u >> 1)));
		same("unsigned byte", i, b[3].u8[i], (uint8_t)(u / 7 + (uint8_t)a));
	}
}

// half_of and of_half convert between float and half, for values that a half holds exactly.
static uint16_t half_of(float f) {
	uint32_t w;
	memcpy(&w, &f, 4);
	return f == 0 ? (uint16_t)(w >> 16) : (uint16_t)((w >> 16 & 0x8000) | (((w >> 23 & 0xff) - 112) << 10) | (w >> 13 & 0x3ff));
}

static float of_half(uint16_t h) {
	int exponent = h >> 10 & 31, mantissa = h & 0x3ff;
	float f = exponent ? ldexpf((float)(mantissa + 1024), exponent - 25) : ldexpf((float)mantissa, -24);
	return h & 0x8000 ? -f : f;
}

static void halves(void) {
	if (!features12.shaderFloat16 || !features.features.shaderInt16 || !features11.storageBuffer16BitAccess)
		return skip("shaderFloat16 and shaderInt16 with storageBuffer16BitAccess");
	kernel k = kernel_of("halves", "bbbb", 0);
	buffer b[4];
	VkDescriptorSet set = four(k, b, 2, 4, 2, 2);
	for (int i = 0; i < N; i++) {
		b[0].u16[i] = (uint16_t)(i * 61);
		b[1].u16[2 * i] = half_of((float)(i - 64) / 4), b[1].u16[2 * i + 1] = half_of(2);
	}
	run(k, set, NULL, 0, N / 64);
	for (int i = 0; i < N; i++) {
		int16_t product = (int16_t)(b[0].u16[i] * 5);
		if (product >= 0) // the remainder of a negative number has no defined sign in GLSL
			same("short", i, (int16_t)b[2].u16[i], product % 1000 - i);
		float found = of_half(b[3].u16[i]), want = (float)(i - 64) / 2 + 0.5f;
		check(found == want, "half[%d] = %g, want %g", i, (double)found, (double)want);
	}
}

static void wide(void) {
	if (!features.features.shaderInt64 || !features.features.shaderFloat64)
		return skip("shaderInt64 and shaderFloat64");
	kernel k = kernel_of("wide", "bbbb", 0);
	buffer b[4];
	VkDescriptorSet set = four(k, b, 8, 8, 8, 8);
	for (int i = 0; i < N; i++)
		b[0].u64[i] = (uint64_t)(i - 64) * 0x123456789, b[1].f64[i] = i * 1.37;
	run(k, set, NULL, 0, N / 64);
	for (int i = 0; i < N; i++) {
		int64_t a = (int64_t)b[0].u64[i];
		same("long", i, b[2].u64[i], a * 1000003 + a / 7 - (a >> 9));
		double want = sqrt(b[1].f64[i]) / 3 + (double)a, off = fabs(b[3].f64[i] - want);
		check(off <= fabs(want) * 1e-15, "double[%d] = %.17g, want %.17g", i, b[3].f64[i], want);
	}
}

static void atomics(void) {
	kernel k = kernel_of("atomics", "b", 0);
	buffer b = host_buffer(28);
	b.u32[6] = 0xffff00ff;
	run(k, set_with(k.set_layout, &b, NULL), NULL, 0, 4);
	int64_t want[] = {255 * 256 / 2, 255, 0xffffffff, 0, (uint32_t)-255};
	for (int i = 0; i < 5; i++)
		same("word", i, b.u32[i], want[i]);
	check(b.u32[5] >= 1 && b.u32[5] <= 256, "exchanged = %u, want 1 to 256", b.u32[5]);
	same("and", 6, b.u32[6], 0xffff0000);
}

static void atomics64(void) {
	if (!features12.shaderBufferInt64Atomics || !features12.shaderSharedInt64Atomics || !features.features.shaderInt64)
		return skip("shaderBufferInt64Atomics with shaderSharedInt64Atomics");
	kernel k = kernel_of("atomics64", "b", 0);
	buffer b = host_buffer(40);
	run(k, set_with(k.set_layout, &b, NULL), NULL, 0, 4);
	uint64_t want[] = {(uint64_t)(255 * 256 / 2) << 33, 255ull << 33, UINT64_MAX, 4, -(255ull << 33)};
	for (int i = 0; i < 5; i++)
		same("word", i, b.u64[i], want[i]);
}

static void atomic_floats(void) {
	if (!atomic_float.shaderBufferFloat32AtomicAdd)
		return skip("shaderBufferFloat32AtomicAdd");
	kernel k = kernel_of("atomic_float", "b", 0);
	buffer b = host_buffer(4);
	b.f32[0] = 3;
	run(k, set_with(k.set_layout, &b, NULL), NULL, 0, 5);
	check(b.f32[0] == 163, "sum = %g, want 163", (double)b.f32[0]);
}

int main(int count, char **words) {
	start(count, words, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME, NULL);
	TEST(bytes);
	TEST(halves);
	TEST(wide);
	TEST(atomics);
	TEST(atomics64);
	TEST(atomic_floats);
	return stop();
}
