// Launches that overlap as far as barriers, events and semaphores allow: dispatches without a barrier between them, copies beside kernels,
// several queues, priorities, and timestamps where the API puts them.
#include "queues.h"

enum { LANES = 64, ROUNDS = 400 };

static kernel k;
static buffer data;
static VkDescriptorSet set;

static uint32_t spun(uint32_t x, uint32_t rounds) {
	for (uint32_t i = 0; i < rounds; i++)
		x = x * 1664525 + 1013904223;
	return x;
}

static void prepare(uint32_t groups) {
	k = kernel_of("spin", "b", 8);
	data = host_buffer(4 * LANES * groups);
	set = set_with(k.set_layout, &data, NULL);
}

static void spin_on(VkCommandBuffer c, kernel of, uint32_t group, uint32_t groups, uint32_t rounds) {
	uint32_t constants[] = {rounds, group * LANES};
	bind(c, of, set);
	push(c, of, constants, sizeof constants);
	vkCmdDispatch(c, groups, 1, 1);
}

static void spin(VkCommandBuffer c, uint32_t group, uint32_t groups, uint32_t rounds) { spin_on(c, k, group, groups, rounds); }

static void check_spun(uint32_t group, uint32_t groups, uint32_t rounds) {
	for (uint32_t i = group * LANES; i < (group + groups) * LANES; i++)
		same("word", i, data.u32[i], spun(i, rounds));
}

static void barrier(VkCommandBuffer c, VkPipelineStageFlags from, VkPipelineStageFlags to, VkAccessFlags before, VkAccessFlags after) {
	VkMemoryBarrier m = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = before, .dstAccessMask = after};
	vkCmdPipelineBarrier(c, from, to, 0, 1, &m, 0, NULL, 0, NULL);
}

enum { COMPUTE = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, TRANSFER = VK_PIPELINE_STAGE_TRANSFER_BIT };

static void kernels_after_kernels(VkCommandBuffer c) {
	barrier(c, COMPUTE, COMPUTE, VK_ACCESS_SHADER_WRITE_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

// Two dispatches that nothing keeps apart.
static void pair(void) {
	prepare(2);
	VkCommandBuffer c = begin();
	spin(c, 0, 1, ROUNDS);
	spin(c, 1, 1, ROUNDS);
	finish(c);
	check_spun(0, 2, ROUNDS);
}

// The same with a barrier between them.
static void chain(void) {
	prepare(2);
	VkCommandBuffer c = begin();
	spin(c, 0, 1, ROUNDS);
	kernels_after_kernels(c);
	spin(c, 1, 1, ROUNDS);
	finish(c);
	check_spun(0, 2, ROUNDS);
}

// Many small ones, of which each is a launch of one workgroup.
static void many(void) {
	prepare(64);
	VkCommandBuffer c = begin();
	for (uint32_t i = 0; i < 64; i++)
		spin(c, i, 1, 1);
	finish(c);
	check_spun(0, 64, 1);
}

// Two halves of a submission in command buffers, and in submissions, of their own: the order of submission is no barrier.
static void submissions(void) {
	prepare(2);
	VkCommandBuffer list[2];
	for (uint32_t i = 0; i < 2; i++) {
		list[i] = begin();
		spin(list[i], i, 1, ROUNDS);
		must(vkEndCommandBuffer(list[i]));
	}
	for (uint32_t i = 0; i < 2; i++) {
		VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &list[i]};
		must(vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE));
	}
	must(vkQueueWaitIdle(queue));
	check_spun(0, 2, ROUNDS);
}

// A barrier for copies alone: the copy waits for the first kernel, and nothing for the copy.
static void stages(void) {
	prepare(1);
	buffer out = host_buffer(4 * LANES), source = data;
	VkCommandBuffer c = begin();
	spin(c, 0, 1, ROUNDS);
	barrier(c, COMPUTE, TRANSFER, VK_ACCESS_SHADER_WRITE_BIT, VK_ACCESS_TRANSFER_READ_BIT);
	vkCmdCopyBuffer(c, source.buffer, out.buffer, 1, &(VkBufferCopy){.size = 4 * LANES});
	data = host_buffer(4 * LANES);
	set = set_with(k.set_layout, &data, NULL);
	spin(c, 0, 1, ROUNDS + 1);
	barrier(c, COMPUTE, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_SHADER_WRITE_BIT, VK_ACCESS_HOST_READ_BIT);
	finish(c);
	check_spun(0, 1, ROUNDS + 1);
	for (uint32_t i = 0; i < LANES; i++)
		same("copied word", i, out.u32[i], spun(i, ROUNDS));
}

// A copy passes beside a kernel that it has nothing to do with.
static void copy_beside(void) {
	prepare(1);
	buffer from = words_from(7, 1 << 12), to = host_buffer(4 << 12);
	VkCommandBuffer c = begin();
	spin(c, 0, 1, ROUNDS);
	vkCmdCopyBuffer(c, from.buffer, to.buffer, 1, &(VkBufferCopy){.size = 4 << 12});
	finish(c);
	check_spun(0, 1, ROUNDS);
	for (uint32_t i = 0; i < 1 << 12; i++)
		same("copied word", i, to.u32[i], 7 + i);
}

// A program's mistake: the second dispatch should wait for the first, whose words it writes. Layers would say so.
static void hazard(void) {
	quiet = true;
	prepare(1);
	VkCommandBuffer c = begin();
	spin(c, 0, 1, ROUNDS);
	spin(c, 0, 1, ROUNDS);
	finish(c);
	check_spun(0, 1, ROUNDS);
	quiet = false;
}

// The third dispatch waits for the first, by an event; the second overlaps with both.
static void events(void) {
	prepare(2);
	VkEvent e = event();
	VkCommandBuffer c = begin();
	spin(c, 0, 1, 10);
	vkCmdSetEvent(c, e, COMPUTE);
	spin(c, 1, 1, 10 * ROUNDS);
	VkMemoryBarrier m = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT, .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
	vkCmdWaitEvents(c, 1, &e, COMPUTE, COMPUTE, 1, &m, 0, NULL, 0, NULL);
	spin(c, 0, 1, ROUNDS);
	finish(c);
	check_spun(0, 1, ROUNDS);
	check_spun(1, 1, 10 * ROUNDS);
	gives(VK_EVENT_SET, vkGetEventStatus(device, e));
}

// A timestamp at the top of the pipe does not wait for the dispatch before it; one at the bottom does.
static void timestamps(void) {
	prepare(1);
	VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 4};
	VkQueryPool q;
	must(vkCreateQueryPool(device, &info, NULL, &q));
	KEEP(QUERIES, q);
	VkCommandBuffer c = begin();
	vkCmdResetQueryPool(c, q, 0, 4);
	vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, q, 0);
	spin(c, 0, 1, ROUNDS);
	vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, q, 1);
	vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, q, 2);
	kernels_after_kernels(c);
	vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, q, 3);
	finish(c);
	uint64_t t[4];
	gives(VK_SUCCESS, vkGetQueryPoolResults(device, q, 0, 4, sizeof t, t, 8, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
	check(t[0] < t[1] && t[1] + ROUNDS < t[2] && t[2] <= t[3], "timestamps of %" PRIu64 ", %" PRIu64 ", %" PRIu64 " and %" PRIu64, t[0], t[1], t[2], t[3]);
	printf("# launched %" PRIu64 " done %" PRIu64 "\n", t[1] - t[0], t[2] - t[0]);
}

// Several queues

static void submit_on(uint32_t q, VkCommandBuffer c, VkSemaphore wait, uint64_t value, VkSemaphore signal, uint64_t gives_value) {
	must(vkEndCommandBuffer(c));
	VkSemaphoreSubmitInfo before = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, .semaphore = wait, .value = value, .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
	VkSemaphoreSubmitInfo after = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, .semaphore = signal, .value = gives_value, .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
	VkCommandBufferSubmitInfo of = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, .commandBuffer = c};
	VkSubmitInfo2 info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2, .waitSemaphoreInfoCount = wait != VK_NULL_HANDLE, .pWaitSemaphoreInfos = &before, .commandBufferInfoCount = 1, .pCommandBufferInfos = &of,
	                      .signalSemaphoreInfoCount = signal != VK_NULL_HANDLE, .pSignalSemaphoreInfos = &after};
	must(vkQueueSubmit2(queues[q], 1, &info, VK_NULL_HANDLE));
}

// Two queues side by side, which nothing keeps apart.
static void two_queues(void) {
	if (!open_queues(NULL, NULL))
		return;
	prepare(2);
	for (uint32_t q = 0; q < 2; q++) {
		VkCommandBuffer c = begin_on(q);
		spin(c, q, 1, ROUNDS);
		submit_on(q, c, VK_NULL_HANDLE, 0, VK_NULL_HANDLE, 0);
	}
	must(vkDeviceWaitIdle(device));
	check_spun(0, 2, ROUNDS);
	close_queues();
}

// A binary semaphore from one to the other, and back.
static void binary(void) {
	if (!open_queues(NULL, NULL))
		return;
	prepare(1);
	VkSemaphore there = semaphore(VK_SEMAPHORE_TYPE_BINARY), back = semaphore(VK_SEMAPHORE_TYPE_BINARY);
	VkSemaphore wait[] = {VK_NULL_HANDLE, there, back}, signal[] = {there, back, VK_NULL_HANDLE};
	for (uint32_t i = 0; i < 3; i++) {
		VkCommandBuffer c = begin_on(i % 2);
		spin(c, 0, 1, ROUNDS + i);
		submit_on(i % 2, c, wait[i], 0, signal[i], 0);
	}
	must(vkDeviceWaitIdle(device));
	check_spun(0, 1, ROUNDS + 2);
	close_queues();
}

// Three queues in a ring of a timeline's values, submitted in the reverse order.
static void timeline(void) {
	if (!open_queues(NULL, NULL))
		return;
	prepare(1);
	VkSemaphore s = semaphore(VK_SEMAPHORE_TYPE_TIMELINE);
	for (uint32_t i = QUEUES; i-- > 0;) {
		VkCommandBuffer c = begin_on(i);
		spin(c, 0, 1, ROUNDS + i);
		submit_on(i, c, s, i, s, i + 1);
	}
	uint64_t last = QUEUES;
	VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1, .pSemaphores = &s, .pValues = &last};
	gives(VK_SUCCESS, vkWaitSemaphores(device, &info, UINT64_MAX));
	check_spun(0, 1, ROUNDS + QUEUES - 1);
	close_queues();
}

enum { SMALL = 12 };

// small_launches puts launches of one workgroup into two queues, waits for all, and closes the queues.
static void small_launches(void) {
	prepare(2 * SMALL);
	for (uint32_t q = 0; q < 2; q++) {
		VkCommandBuffer c = begin_on(q);
		for (uint32_t i = 0; i < SMALL; i++)
			spin(c, q * SMALL + i, 1, 1);
		submit_on(q, c, VK_NULL_HANDLE, 0, VK_NULL_HANDLE, 0);
	}
	must(vkDeviceWaitIdle(device));
	check_spun(0, 2 * SMALL, 1);
	close_queues();
}

// Every priority that a family has can be asked for.
static void priorities(void) {
	if (!has(VK_KHR_GLOBAL_PRIORITY_EXTENSION_NAME))
		return skip("VK_KHR_global_priority");
	VkQueueFamilyGlobalPriorityPropertiesKHR of[8];
	VkQueueFamilyProperties2 families[8];
	uint32_t count = COUNT(families);
	for (uint32_t i = 0; i < count; i++) {
		of[i] = (VkQueueFamilyGlobalPriorityPropertiesKHR){.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_GLOBAL_PRIORITY_PROPERTIES_KHR};
		families[i] = (VkQueueFamilyProperties2){.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2, .pNext = &of[i]};
	}
	vkGetPhysicalDeviceQueueFamilyProperties2(physical, &count, families);
	check(of[queue_family].priorityCount > 0, "no priorities");
	for (uint32_t i = 0; i < of[queue_family].priorityCount; i++) {
		if (!open_queues(&of[queue_family].priorities[i], NULL))
			return;
		small_launches();
	}
}

// Queues of a device whose priorities among themselves differ.
static void own_priorities(void) {
	if (open_queues(NULL, (float[QUEUES]){0.25, 1, 1}))
		small_launches();
}

int main(int count, char **words) {
	start(count, words, VK_KHR_GLOBAL_PRIORITY_EXTENSION_NAME, NULL);
	TEST(pair);
	TEST(chain);
	TEST(many);
	TEST(submissions);
	TEST(stages);
	TEST(copy_beside);
	TEST(hazard);
	TEST(events);
	TEST(timestamps);
	TEST(two_queues);
	TEST(binary);
	TEST(timeline);
	TEST(priorities);
	TEST(own_priorities);
	return stop();
}
