// Performance queries: what the device counts of a dispatch.
#include "vk.h"

static VkPerformanceCounterKHR *counters;
static VkPerformanceCounterDescriptionKHR *descriptions;
static uint32_t counter_count;

static bool find_counters(void) {
	if (!performance_features.performanceCounterQueryPools)
		return false;
	INSTANCE_FUNCTION(vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR);
	must(vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR(physical, queue_family, &counter_count, NULL, NULL));
	counters = calloc(counter_count, sizeof *counters);
	descriptions = calloc(counter_count, sizeof *descriptions);
	for (uint32_t i = 0; i < counter_count; i++) {
		counters[i].sType = VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_KHR;
		descriptions[i].sType = VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_DESCRIPTION_KHR;
	}
	must(vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR(physical, queue_family, &counter_count, counters, descriptions));
	return counter_count > 0;
}

static void described(void) {
	if (!find_counters())
		return skip("performanceCounterQueryPools");
	for (uint32_t i = 0; i < counter_count; i++)
		check(descriptions[i].name[0] && descriptions[i].description[0], "counter %u has no name or no description", i);
}

static double value_of(VkPerformanceCounterResultKHR result, VkPerformanceCounterStorageKHR storage) {
	switch (storage) {
	case VK_PERFORMANCE_COUNTER_STORAGE_INT32_KHR: return result.int32;
	case VK_PERFORMANCE_COUNTER_STORAGE_INT64_KHR: return (double)result.int64;
	case VK_PERFORMANCE_COUNTER_STORAGE_UINT32_KHR: return result.uint32;
	case VK_PERFORMANCE_COUNTER_STORAGE_UINT64_KHR: return (double)result.uint64;
	case VK_PERFORMANCE_COUNTER_STORAGE_FLOAT32_KHR: return (double)result.float32;
	default: return result.float64;
	}
}

// measure counts a dispatch of so many workgroups, with every counter.
static void measure(uint32_t groups, VkPerformanceCounterResultKHR *results) {
	DEVICE_FUNCTION(vkAcquireProfilingLockKHR);
	DEVICE_FUNCTION(vkReleaseProfilingLockKHR);
	uint32_t *all = calloc(counter_count, sizeof *all);
	for (uint32_t i = 0; i < counter_count; i++)
		all[i] = i;
	VkQueryPoolPerformanceCreateInfoKHR which = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR, .queueFamilyIndex = queue_family, .counterIndexCount = counter_count, .pCounterIndices = all};
	VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .pNext = &which, .queryType = VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR, .queryCount = 1};
	INSTANCE_FUNCTION(vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR);
	uint32_t passes = 0;
	vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR(physical, &which, &passes);
	check(passes >= 1, "%u passes", passes);
	VkQueryPool q;
	must(vkCreateQueryPool(device, &info, NULL, &q));
	KEEP(QUERIES, q);
	free(all);
	kernel k = kernel_of("add", "b", 8);
	buffer data = words_from(0, 64 * groups);
	uint32_t constants[] = {3, 1};
	must(vkAcquireProfilingLockKHR(device, &(VkAcquireProfilingLockInfoKHR){.sType = VK_STRUCTURE_TYPE_ACQUIRE_PROFILING_LOCK_INFO_KHR, .timeout = UINT64_MAX}));
	vkResetQueryPool(device, q, 0, 1);
	VkCommandBuffer c = begin();
	vkCmdBeginQuery(c, q, 0, 0);
	bind(c, k, set_with(k.set_layout, &data, NULL));
	push(c, k, constants, 8);
	vkCmdDispatch(c, groups, 1, 1);
	all_seen(c);
	vkCmdEndQuery(c, q, 0);
	must(vkEndCommandBuffer(c));
	for (uint32_t pass = 0; pass < passes; pass++) {
		VkPerformanceQuerySubmitInfoKHR of_pass = {.sType = VK_STRUCTURE_TYPE_PERFORMANCE_QUERY_SUBMIT_INFO_KHR, .counterPassIndex = pass};
		VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .pNext = &of_pass, .commandBufferCount = 1, .pCommandBuffers = &c};
		must(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
		must(vkQueueWaitIdle(queue));
	}
	gives(VK_SUCCESS, vkGetQueryPoolResults(device, q, 0, 1, counter_count * sizeof *results, results, counter_count * sizeof *results, 0));
	vkReleaseProfilingLockKHR(device);
}

// More work is more of something, and less of nothing that is a sum of cycles.
static void counted(void) {
	if (!counter_count || !features12.hostQueryReset)
		return skip("performanceCounterQueryPools");
	VkPerformanceCounterResultKHR *small = calloc(counter_count, sizeof *small), *large = calloc(counter_count, sizeof *large);
	measure(1, small);
	measure(64, large);
	uint32_t cycles = 0, grown = 0;
	for (uint32_t i = 0; i < counter_count; i++) {
		double a = value_of(small[i], counters[i].storage), b = value_of(large[i], counters[i].storage);
		grown += b > a;
		if (counters[i].unit == VK_PERFORMANCE_COUNTER_UNIT_CYCLES_KHR && b > 0)
			cycles++;
	}
	check(grown > 0, "none of %u counters grew with the work", counter_count);
	check(cycles > 0, "none of %u counters counted a cycle", counter_count);
	free(small), free(large);
}

int main(int count, char **words) {
	start(count, words, VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME, NULL);
	TEST(described);
	TEST(counted);
	free(counters), free(descriptions);
	return stop();
}
