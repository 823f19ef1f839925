// Timestamp queries, calibrated timestamps.
#include "vk.h"

static VkQueryPool timestamps(uint32_t n) {
	VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = n};
	VkQueryPool q;
	must(vkCreateQueryPool(device, &info, NULL, &q));
	KEEP(QUERIES, q);
	return q;
}

static uint32_t valid_bits(void) {
	VkQueueFamilyProperties families[16];
	uint32_t count = COUNT(families);
	vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
	return families[queue_family].timestampValidBits;
}

// A result alone may be said to lie farther apart from the next one than there is room.
static void alone(void) {
	if (!valid_bits())
		return skip("timestamps on the queue");
	VkQueryPool q = timestamps(1);
	VkCommandBuffer c = begin();
	vkCmdResetQueryPool(c, q, 0, 1);
	vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, q, 0);
	finish(c);
	uint64_t at[2] = {UINT64_MAX, 7};
	gives(VK_SUCCESS, vkGetQueryPoolResults(device, q, 0, 1, 8, at, 64, VK_QUERY_RESULT_64_BIT));
	check(at[0] != UINT64_MAX && at[1] == 7, "results %" PRIu64 " and %" PRIu64, at[0], at[1]);
}

static void grow(void) {
	if (!valid_bits())
		return skip("timestamps on the queue");
	check(properties.limits.timestampPeriod > 0, "a timestampPeriod of %g ns", (double)properties.limits.timestampPeriod);
	kernel k = kernel_of("add", "b", 8);
	buffer data = words_from(0, 1 << 14);
	VkDescriptorSet set = set_with(k.set_layout, &data, NULL);
	uint32_t constants[] = {1, 1};
	VkQueryPool q = timestamps(4);
	VkCommandBuffer c = begin();
	vkCmdResetQueryPool(c, q, 0, 4);
	vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, q, 0);
	bind(c, k, set);
	push(c, k, constants, 8);
	vkCmdDispatch(c, 1, 1, 1);
	vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, q, 1);
	all_seen(c);
	vkCmdDispatch(c, 256, 1, 1);
	vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, q, 2);
	finish(c);
	uint64_t at[3];
	gives(VK_SUCCESS, vkGetQueryPoolResults(device, q, 0, 3, sizeof at, at, 8, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
	check(at[0] < at[1] && at[1] < at[2], "timestamps %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", want them to grow", at[0], at[1], at[2]);
	struct {
		uint64_t value, available;
	} with[2] = {{9, 9}, {9, 9}};
	gives(VK_NOT_READY, vkGetQueryPoolResults(device, q, 2, 2, sizeof with, with, 16, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT));
	same("availability of the third", 2, with[0].available, 1);
	same("availability of the fourth", 3, with[1].available, 0);
	same("value of the third", 2, with[0].value, at[2]);
}

static void stage2(void) {
	if (!valid_bits() || !features13.synchronization2)
		return skip("timestamps with synchronization2");
	VkQueryPool q = timestamps(2);
	buffer data = host_buffer(1 << 16);
	VkCommandBuffer c = begin();
	vkCmdResetQueryPool(c, q, 0, 2);
	vkCmdWriteTimestamp2(c, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, q, 0);
	vkCmdFillBuffer(c, data.buffer, 0, VK_WHOLE_SIZE, 1);
	vkCmdWriteTimestamp2(c, VK_PIPELINE_STAGE_2_COPY_BIT, q, 1);
	finish(c);
	uint64_t at[2];
	gives(VK_SUCCESS, vkGetQueryPoolResults(device, q, 0, 2, sizeof at, at, 8, VK_QUERY_RESULT_64_BIT));
	check(at[0] <= at[1], "timestamps %" PRIu64 " and %" PRIu64 ", want them in order", at[0], at[1]);
}

static void copied(void) {
	if (!valid_bits())
		return skip("timestamps on the queue");
	VkQueryPool q = timestamps(2);
	buffer out = host_buffer(64);
	VkCommandBuffer c = begin();
	vkCmdResetQueryPool(c, q, 0, 2);
	vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, q, 0);
	vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, q, 1);
	vkCmdCopyQueryPoolResults(c, q, 0, 2, out.buffer, 16, 16, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
	finish(c);
	uint64_t at[2];
	gives(VK_SUCCESS, vkGetQueryPoolResults(device, q, 0, 2, sizeof at, at, 8, VK_QUERY_RESULT_64_BIT));
	for (int i = 0; i < 2; i++) {
		same("timestamp", i, out.u64[2 + 2 * i], at[i]);
		same("availability", i, out.u64[3 + 2 * i], 1);
	}
	uint32_t low[2];
	gives(VK_SUCCESS, vkGetQueryPoolResults(device, q, 0, 2, sizeof low, low, 4, 0));
	// A value of more than 32 bits wraps or saturates.
	check(low[1] == (uint32_t)at[1] || (at[1] > UINT32_MAX && low[1] == UINT32_MAX), "low word = %u of %" PRIu64, low[1], at[1]);
}

static void host_reset(void) {
	if (!valid_bits() || !features12.hostQueryReset)
		return skip("hostQueryReset");
	VkQueryPool q = timestamps(1);
	vkResetQueryPool(device, q, 0, 1);
	uint64_t at;
	gives(VK_NOT_READY, vkGetQueryPoolResults(device, q, 0, 1, 8, &at, 8, VK_QUERY_RESULT_64_BIT));
	VkCommandBuffer c = begin();
	vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, q, 0);
	finish(c);
	gives(VK_SUCCESS, vkGetQueryPoolResults(device, q, 0, 1, 8, &at, 8, VK_QUERY_RESULT_64_BIT));
	vkResetQueryPool(device, q, 0, 1);
	gives(VK_NOT_READY, vkGetQueryPoolResults(device, q, 0, 1, 8, &at, 8, VK_QUERY_RESULT_64_BIT));
}

static void calibrated(void) {
	if (!has(VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME))
		return skip(VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME);
	INSTANCE_FUNCTION(vkGetPhysicalDeviceCalibrateableTimeDomainsEXT);
	DEVICE_FUNCTION(vkGetCalibratedTimestampsEXT);
	VkTimeDomainEXT domains[8];
	uint32_t n = COUNT(domains);
	gives(VK_SUCCESS, vkGetPhysicalDeviceCalibrateableTimeDomainsEXT(physical, &n, domains));
	VkCalibratedTimestampInfoEXT infos[8] = {0};
	bool of_device = false;
	for (uint32_t i = 0; i < n; i++) {
		infos[i] = (VkCalibratedTimestampInfoEXT){.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, .timeDomain = domains[i]};
		of_device |= domains[i] == VK_TIME_DOMAIN_DEVICE_EXT;
	}
	check(of_device, "none of %u time domains is the device's", n);
	uint64_t first[8], second[8], deviation;
	gives(VK_SUCCESS, vkGetCalibratedTimestampsEXT(device, n, infos, first, &deviation));
	gives(VK_SUCCESS, vkGetCalibratedTimestampsEXT(device, n, infos, second, &deviation));
	for (uint32_t i = 0; i < n; i++)
		check(first[i] <= second[i], "domain %d went from %" PRIu64 " to %" PRIu64, domains[i], first[i], second[i]);
}

int main(int count, char **words) {
	start(count, words, VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME, NULL);
	TEST(grow);
	TEST(alone);
	TEST(stage2);
	TEST(copied);
	TEST(host_reset);
	TEST(calibrated);
	return stop();
}
