// Time as a program sees it where the driver is told so: a device's clock that goes on with the host's, timeouts of simulated time. The second word
// says which.
#include <time.h>
#include "vk.h"

enum { MANY = 200 };

static void calibrate(uint64_t *of_device, uint64_t *of_host, uint64_t *deviation) {
	DEVICE_FUNCTION(vkGetCalibratedTimestampsEXT);
	VkCalibratedTimestampInfoEXT infos[] = {
	    {.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, .timeDomain = VK_TIME_DOMAIN_DEVICE_EXT},
	    {.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, .timeDomain = VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT},
	};
	uint64_t at[2];
	gives(VK_SUCCESS, vkGetCalibratedTimestampsEXT(device, 2, infos, at, deviation));
	*of_device = at[0], *of_host = at[1];
}

// From the host's time of a submission to the timestamp in it passes some time, and none is before it, by one comparison of both clocks before all of
// them: though each dispatch takes the host longer than the device.
static void latency(void) {
	kernel k = kernel_of("add", "b", 8);
	buffer data = words_from(0, 1 << 14);
	VkDescriptorSet set = set_with(k.set_layout, &data, NULL);
	const uint32_t constants[] = {1, 1};
	VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 1};
	VkQueryPool q;
	must(vkCreateQueryPool(device, &info, NULL, &q));
	KEEP(QUERIES, q);
	uint64_t device_from, host_from, deviation, written, device_to, host_to, last;
	calibrate(&device_from, &host_from, &last);
	for (int round = 0; round < 20; round++) {
		VkCommandBuffer c = begin();
		vkCmdResetQueryPool(c, q, 0, 1);
		vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, q, 0);
		bind(c, k, set);
		push(c, k, constants, 8);
		vkCmdDispatch(c, (1 << 14) / 64, 1, 1);
		struct timespec now;
		clock_gettime(CLOCK_MONOTONIC, &now);
		uint64_t submitted = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
		finish(c);
		must(vkGetQueryPoolResults(device, q, 0, 1, 8, &written, 8, VK_QUERY_RESULT_64_BIT));
		double period = (double)properties.limits.timestampPeriod;
		double took = (double)(written - device_from) * period - (double)(submitted - host_from);
		check(took >= -(double)last - 2 * period, "round %d: the timestamp is %g ns before the submission", round, -took);
		calibrate(&device_to, &host_to, &deviation);
		check(device_to >= written && host_to >= submitted, "the device went from %" PRIu64 " to %" PRIu64, written, device_to);
	}
}

// Work of less simulated time than the timeout ends in it, however long the host takes; where nothing runs, the host's time counts.
static void timeouts(void) {
	kernel k = kernel_of("add", "b", 8);
	buffer data = words_from(0, 1 << 14);
	const uint32_t constants[] = {1, 1};
	VkCommandBuffer c = begin();
	bind(c, k, set_with(k.set_layout, &data, NULL));
	push(c, k, constants, 8);
	for (int i = 0; i < MANY; i++) {
		vkCmdDispatch(c, (1 << 14) / 64, 1, 1);
		all_seen(c);
	}
	must(vkEndCommandBuffer(c));
	VkFenceCreateInfo of_fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkFence f;
	must(vkCreateFence(device, &of_fence, NULL, &f));
	KEEP(FENCE, f);
	gives(VK_TIMEOUT, vkWaitForFences(device, 1, &f, VK_TRUE, 1000000));
	VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c};
	must(vkQueueSubmit(queue, 1, &info, f));
	gives(VK_SUCCESS, vkWaitForFences(device, 1, &f, VK_TRUE, 20000ull * MANY)); // 20 us each, of which none takes more than 10
	for (uint32_t i = 0; i < 64; i++)
		same("word", i, data.u32[i], i + MANY);
}

int main(int count, char **words) {
	start(2, words, VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME, NULL);
	if (count > 2 && !strcmp(words[2], "latency"))
		TEST(latency);
	else
		TEST(timeouts);
	return stop();
}
