// The shader's clocks: that of the subgroup, that of the device.
#include "vk.h"

static void grows(VkBool32 of_device) {
	struct {
		VkBool32 of_device;
		uint32_t steps;
	} values = {of_device, 500};
	VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}};
	kernel k = kernel_with("clock", "b", 0, &(VkSpecializationInfo){2, entries, sizeof values, &values});
	buffer out = host_buffer(32 * 20);
	VkDescriptorSet set = set_with(k.set_layout, &out, NULL);
	uint64_t last = 0;
	for (int runs = 0; runs < 2; runs++) {
		run(k, set, NULL, 0, 1);
		for (int i = 0; i < 32; i++)
			check(out.u64[i] < out.u64[32 + i], "invocation %d: from %" PRIu64 " to %" PRIu64, i, out.u64[i], out.u64[32 + i]);
		check(!of_device || out.u64[0] > last, "the second dispatch began at %" PRIu64 ", the first ended at %" PRIu64, out.u64[0], last);
		last = out.u64[32];
	}
}

static void of_subgroup(void) {
	if (!clock_features.shaderSubgroupClock || !features.features.shaderInt64)
		return skip("shaderSubgroupClock");
	grows(VK_FALSE);
}

static void of_device(void) {
	if (!clock_features.shaderDeviceClock || !features.features.shaderInt64)
		return skip("shaderDeviceClock");
	grows(VK_TRUE);
}

int main(int count, char **words) {
	start(count, words, VK_KHR_SHADER_CLOCK_EXTENSION_NAME, NULL);
	TEST(of_subgroup);
	TEST(of_device);
	return stop();
}
