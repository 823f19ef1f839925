// Products of cooperative matrices: which there are, and one of 16-bit floats.
#include "vk.h"

// Of VK_KHR_cooperative_matrix, which is younger than the headers.
typedef struct {
	VkStructureType sType;
	void *pNext;
	uint32_t m, n, k;
	int32_t a, b, c, result;
	VkBool32 saturating;
	int32_t scope;
} matrix_properties;

typedef VkResult(VKAPI_PTR *get_properties)(VkPhysicalDevice, uint32_t *, matrix_properties *);

enum { FLOAT16 = 0, FLOAT32 = 1, SUBGROUP = 3, SIDE = 16 };

static matrix_properties list[64];
static uint32_t found;

static bool lists(void) {
	get_properties get = (get_properties)vkGetInstanceProcAddr(instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR");
	if (!has(VK_MATRIX_NAME) || !get)
		return false;
	must(get(physical, &found, NULL));
	for (uint32_t i = 0; i < COUNT(list); i++)
		list[i].sType = (VkStructureType)1000506001;
	must(get(physical, &found, list));
	return true;
}

static void products(void) {
	if (!lists())
		return skip(VK_MATRIX_NAME);
	check(cooperative_matrix.on[0], "the feature is off");
	bool half = false;
	for (uint32_t i = 0; i < found; i++) {
		matrix_properties *p = &list[i];
		check(p->m && p->n && p->k && p->scope == SUBGROUP, "product %u is of %u x %u x %u in scope %d", i, p->m, p->n, p->k, p->scope);
		half |= p->m == SIDE && p->n == SIDE && p->k == SIDE && p->a == FLOAT16 && p->b == FLOAT16 && p->c == FLOAT32 && p->result == FLOAT32;
	}
	check(half, "none of %u products is of 16 x 16 x 16 16-bit floats with 32-bit sums", found);
}

// half_of is a small whole number as a 16-bit float.
static uint16_t half_of(uint32_t n) {
	uint32_t exponent = 0;
	if (!n)
		return 0;
	while (n >> (exponent + 1))
		exponent++;
	return (uint16_t)((exponent + 15) << 10 | (n << (10 - exponent) & 0x3ff));
}

static void multiply(void) {
	if (!lists())
		return skip(VK_MATRIX_NAME);
	kernel k = kernel_of("matrix", "bbb", 0);
	buffer a = host_buffer(2 * SIDE * SIDE), b = host_buffer(2 * SIDE * SIDE), c = host_buffer(4 * SIDE * SIDE);
	uint16_t *halves[] = {(uint16_t *)a.u32, (uint16_t *)b.u32};
	for (uint32_t i = 0; i < SIDE * SIDE; i++) {
		halves[0][i] = half_of(i * 7 % 31);
		halves[1][i] = half_of(i * 5 % 29);
		c.f32[i] = (float)i;
	}
	run(k, set_with(k.set_layout, &a, &b, &c, NULL), NULL, 0, 1);
	for (uint32_t row = 0; row < SIDE; row++)
		for (uint32_t column = 0; column < SIDE; column++) {
			uint32_t sum = row * SIDE + column;
			for (uint32_t i = 0; i < SIDE; i++)
				sum += (row * SIDE + i) * 7 % 31 * ((i * SIDE + column) * 5 % 29);
			check(c.f32[row * SIDE + column] == (float)sum, "row %u, column %u: %g, want %u", row, column, (double)c.f32[row * SIDE + column], sum);
		}
}

int main(int count, char **words) {
	start(count, words, VK_MATRIX_NAME, NULL);
	TEST(products);
	TEST(multiply);
	return stop();
}
