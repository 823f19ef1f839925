// Dispatches: direct, with a base, indirect; push constants; specialization.
#include "vk.h"

typedef struct {
	uint32_t base[3], width, height;
} place;

static void check_ids(const buffer *out, place at, uint32_t depth) {
	for (uint32_t z = 0; z < depth; z++)
		for (uint32_t y = 0; y < at.height; y++)
			for (uint32_t x = 0; x < at.width; x++) {
				uint32_t i = (z * at.height + y) * at.width + x, *seen = out->u32 + 4 * i;
				uint32_t group = at.base[0] + x / 4 + 10 * (at.base[1] + y / 2) + 100 * (at.base[2] + z / 2);
				same("x of invocation", i, seen[0], 4 * at.base[0] + x);
				same("y of invocation", i, seen[1], 2 * at.base[1] + y);
				same("z of invocation", i, seen[2], 2 * at.base[2] + z);
				same("place in the workgroup", i, seen[3], x % 4 + 4 * (y % 2) + 8 * (z % 2) + 100 * group);
			}
}

static void direct(void) {
	kernel k = kernel_of("ids", "b", sizeof(place));
	place at = {.width = 12, .height = 4};
	buffer out = host_buffer(16 * 12 * 4 * 10);
	VkCommandBuffer c = begin();
	bind(c, k, set_with(k.set_layout, &out, NULL));
	push(c, k, &at, sizeof at);
	vkCmdDispatch(c, 3, 2, 5);
	finish(c);
	check_ids(&out, at, 10);
}

static void with_base(void) {
	kernel k = {.set_layout = set_layout("b", 0)};
	k.layout = pipeline_layout(1, &k.set_layout, sizeof(place));
	VkComputePipelineCreateInfo info = pipeline_info("ids", k.layout, NULL);
	info.flags = VK_PIPELINE_CREATE_DISPATCH_BASE_BIT;
	k.pipeline = pipeline_of(&info);
	place at = {.base = {2, 7, 1}, .width = 8, .height = 4};
	buffer out = host_buffer(16 * 8 * 4 * 4);
	VkCommandBuffer c = begin();
	bind(c, k, set_with(k.set_layout, &out, NULL));
	push(c, k, &at, sizeof at);
	vkCmdDispatchBase(c, 2, 7, 1, 2, 2, 2);
	finish(c);
	check_ids(&out, at, 4);
}

static void indirect(void) {
	kernel k = kernel_of("groups", "b", 0);
	buffer out = host_buffer(16), sizes = words_from(1, 8);
	VkCommandBuffer c = begin();
	bind(c, k, set_with(k.set_layout, &out, NULL));
	vkCmdDispatchIndirect(c, sizes.buffer, 8);
	finish(c);
	same("size in x", 0, out.u32[0], 3);
	same("size in y", 0, out.u32[1], 4);
	same("size in z", 0, out.u32[2], 5);
	same("invocations", 0, out.u32[3], 3 * 4 * 5 * 32);
}

// The size is what memory holds when the dispatch runs, here written by the dispatch before.
static void indirect_from_device(void) {
	kernel k = kernel_of("groups", "b", 0), add = kernel_of("add", "b", 8);
	buffer out = host_buffer(16), sizes = words_from(1, 3);
	uint32_t constants[] = {1, 1};
	VkCommandBuffer c = begin();
	bind(c, add, set_with(add.set_layout, &sizes, NULL));
	push(c, add, constants, 8);
	vkCmdDispatch(c, 1, 1, 1);
	VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT, .dstAccessMask = VK_ACCESS_INDIRECT_COMMAND_READ_BIT};
	vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
	bind(c, k, set_with(k.set_layout, &out, NULL));
	vkCmdDispatchIndirect(c, sizes.buffer, 0);
	finish(c);
	same("invocations", 0, out.u32[3], 2 * 3 * 4 * 32);
}

static void of_nothing(void) {
	kernel k = kernel_of("groups", "b", 0);
	buffer out = host_buffer(16), sizes = host_buffer(12);
	VkCommandBuffer c = begin();
	bind(c, k, set_with(k.set_layout, &out, NULL));
	vkCmdDispatch(c, 0, 1, 1);
	vkCmdDispatch(c, 3, 0, 2);
	vkCmdDispatchIndirect(c, sizes.buffer, 0);
	finish(c);
	same("invocations", 0, out.u32[3], 0);
}

static void push_constants(void) {
	kernel k = kernel_of("push", "b", 128);
	buffer out = host_buffer(128);
	uint32_t words[32];
	float a = 0.25f, c[] = {3, 4};
	int32_t b = -7;
	memcpy(words, &a, 4), memcpy(words + 1, &b, 4), memcpy(words + 2, c, 8);
	for (uint32_t i = 4; i < 32; i++)
		words[i] = i;
	VkCommandBuffer cmd = begin();
	bind(cmd, k, set_with(k.set_layout, &out, NULL));
	push(cmd, k, words, 128);
	uint32_t later[] = {70, 80}; // a part of them, changed afterwards
	vkCmdPushConstants(cmd, k.layout, VK_SHADER_STAGE_COMPUTE_BIT, 40, 8, later);
	vkCmdDispatch(cmd, 1, 1, 1);
	finish(cmd);
	float wanted[] = {0.25f, -7, 3, 4};
	for (int i = 0; i < 32; i++) {
		float want = i < 4 ? wanted[i] : i == 10 ? 70 : i == 11 ? 80 : (float)i;
		check(out.f32[i] == want, "word %d = %g, want %g", i, out.f32[i], want);
	}
}

static void defaults_of_constants(void) {
	if (!features.features.shaderFloat64)
		return skip("shaderFloat64");
	uint32_t sizes[] = {3, 5};
	VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}};
	kernel k = kernel_with("constants", "b", 0, &(VkSpecializationInfo){COUNT(entries), entries, sizeof sizes, sizes});
	buffer out = host_buffer(36);
	run(k, set_with(k.set_layout, &out, NULL), NULL, 0, 2);
	float want[] = {3, 5, -1, 0.5f, 0, 8, 3, 0};
	for (int i = 0; i < 8; i++)
		check(out.f32[i] == want[i], "word %d = %g, want %g", i, out.f32[i], want[i]);
	same("invocations", 0, out.u32[8], 30);
}

static void specialization(void) {
	if (!features.features.shaderFloat64)
		return skip("shaderFloat64");
	struct {
		double wide;
		uint32_t x, y;
		int32_t whole;
		float real;
		VkBool32 flag;
		uint32_t size, unused;
	} values = {1.25, 8, 4, 21, -3.5f, VK_TRUE, 16, 9};
#define ENTRY(id, member) {id, offsetof(typeof(values), member), sizeof values.member}
	VkSpecializationMapEntry entries[] = {ENTRY(5, size), ENTRY(0, x), ENTRY(1, y), ENTRY(2, whole), ENTRY(3, real), ENTRY(4, flag), ENTRY(6, wide), ENTRY(99, unused)};
	kernel k = kernel_with("constants", "b", 0, &(VkSpecializationInfo){COUNT(entries), entries, sizeof values, &values});
	buffer out = host_buffer(36);
	run(k, set_with(k.set_layout, &out, NULL), NULL, 0, 3);
	float want[] = {8, 4, 21, -3.5f, 1, 64, 3.75f, 58};
	for (int i = 0; i < 8; i++)
		check(out.f32[i] == want[i], "word %d = %g, want %g", i, out.f32[i], want[i]);
	same("invocations", 0, out.u32[8], 3 * 32);
}

// Many dispatches of one submission see each other's writes in order.
static void in_order(void) {
	kernel k = kernel_of("add", "b", 8);
	buffer data = words_from(0, 256);
	VkCommandBuffer c = begin();
	bind(c, k, set_with(k.set_layout, &data, NULL));
	uint32_t want = 5;
	for (uint32_t i = 0; i < 40; i++) {
		uint32_t constants[] = {3, i};
		push(c, k, constants, 8);
		vkCmdDispatch(c, 4, 1, 1);
		all_seen(c);
		want = want * 3 + i;
	}
	finish(c);
	same("word", 5, data.u32[5], want);
}

int main(int count, char **words) {
	start(count, words, NULL);
	TEST(direct);
	TEST(with_base);
	TEST(indirect);
	TEST(indirect_from_device);
	TEST(of_nothing);
	TEST(push_constants);
	TEST(defaults_of_constants);
	TEST(specialization);
	TEST(in_order);
	return stop();
}
