// Synchronization: barriers of both generations, events, fences, semaphores
// binary and timeline, several queues.
#include <pthread.h>
#include <signal.h>
#include "vk.h"

static kernel add;
static buffer data;
static VkDescriptorSet set;

// step records words = words * times + plus.
static void step(VkCommandBuffer c, uint32_t times, uint32_t plus) {
	uint32_t constants[] = {times, plus};
	bind(c, add, set);
	push(c, add, constants, 8);
	vkCmdDispatch(c, 4, 1, 1);
}

static void begin_steps(void) {
	add = kernel_of("add", "b", 8);
	data = words_from(0, 256);
	set = set_with(add.set_layout, &data, NULL);
}

static void check_steps(uint32_t times, uint32_t plus) {
	for (uint32_t i = 0; i < 256; i++)
		same("word", i, data.u32[i], i * times + plus);
}

static VkCommandBuffer one_step(uint32_t times, uint32_t plus) {
	VkCommandBuffer c = begin();
	all_seen(c);
	step(c, times, plus);
	all_seen(c);
	must(vkEndCommandBuffer(c));
	return c;
}

static void barriers(void) {
	begin_steps();
	VkCommandBuffer c = begin();
	step(c, 2, 1);
	VkMemoryBarrier memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT, .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
	vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &memory, 0, NULL, 0, NULL);
	step(c, 3, 0);
	VkBufferMemoryBarrier of_buffer = {
	    .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
	    .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
	    .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
	    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
	    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
	    .buffer = data.buffer,
	    .size = VK_WHOLE_SIZE,
	};
	vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 1, &of_buffer, 0, NULL);
	vkCmdFillBuffer(c, data.buffer, 4, 4, 99);
	finish(c);
	data.u32[1] -= 99 - 9;
	check_steps(6, 3);
}

static void barriers2(void) {
	if (!features13.synchronization2)
		return skip("synchronization2");
	begin_steps();
	VkCommandBuffer c = begin();
	step(c, 5, 0);
	VkMemoryBarrier2 memory = {
	    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
	    .srcStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
	    .srcAccessMask = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
	    .dstStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
	    .dstAccessMask = VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
	};
	VkDependencyInfo info = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &memory};
	vkCmdPipelineBarrier2(c, &info);
	step(c, 1, 4);
	VkBufferMemoryBarrier2 of_buffer = {
	    .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2,
	    .srcStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
	    .srcAccessMask = VK_ACCESS_2_SHADER_WRITE_BIT,
	    .dstStageMask = VK_PIPELINE_STAGE_2_HOST_BIT,
	    .dstAccessMask = VK_ACCESS_2_HOST_READ_BIT,
	    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
	    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
	    .buffer = data.buffer,
	    .size = VK_WHOLE_SIZE,
	};
	info = (VkDependencyInfo){.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .bufferMemoryBarrierCount = 1, .pBufferMemoryBarriers = &of_buffer};
	vkCmdPipelineBarrier2(c, &info);
	must(vkEndCommandBuffer(c));
	submit_to(queue, c);
	check_steps(5, 4);
}

static VkEvent event(VkEventCreateFlags flags) {
	VkEventCreateInfo info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO, .flags = flags};
	VkEvent e;
	must(vkCreateEvent(device, &info, NULL, &e));
	KEEP(EVENT, e);
	return e;
}

static void events_of_host(void) {
	VkEvent e = event(0);
	gives(VK_EVENT_RESET, vkGetEventStatus(device, e));
	gives(VK_SUCCESS, vkSetEvent(device, e));
	gives(VK_EVENT_SET, vkGetEventStatus(device, e));
	gives(VK_SUCCESS, vkResetEvent(device, e));
	gives(VK_EVENT_RESET, vkGetEventStatus(device, e));
}

static void events_of_device(void) {
	begin_steps();
	VkEvent e = event(0);
	VkCommandBuffer c = begin();
	step(c, 2, 0);
	vkCmdSetEvent(c, e, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
	VkMemoryBarrier memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT, .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
	vkCmdWaitEvents(c, 1, &e, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 1, &memory, 0, NULL, 0, NULL);
	step(c, 2, 1);
	finish(c);
	check_steps(4, 1);
	gives(VK_EVENT_SET, vkGetEventStatus(device, e));
	c = begin();
	vkCmdResetEvent(c, e, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
	finish(c);
	gives(VK_EVENT_RESET, vkGetEventStatus(device, e));
}

static void events2(void) {
	if (!features13.synchronization2)
		return skip("synchronization2");
	begin_steps();
	VkEvent e = event(VK_EVENT_CREATE_DEVICE_ONLY_BIT);
	VkMemoryBarrier2 memory = {
	    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
	    .srcStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
	    .srcAccessMask = VK_ACCESS_2_SHADER_WRITE_BIT,
	    .dstStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
	    .dstAccessMask = VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_SHADER_WRITE_BIT,
	};
	VkDependencyInfo info = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &memory};
	VkCommandBuffer c = begin();
	step(c, 3, 0);
	vkCmdSetEvent2(c, e, &info);
	vkCmdWaitEvents2(c, 1, &e, &info);
	step(c, 3, 2);
	vkCmdResetEvent2(c, e, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
	finish(c);
	check_steps(9, 2);
}

static VkFence fence(VkFenceCreateFlags flags) {
	VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, .flags = flags};
	VkFence f;
	must(vkCreateFence(device, &info, NULL, &f));
	KEEP(FENCE, f);
	return f;
}

static void fences(void) {
	begin_steps();
	VkFence signalled = fence(VK_FENCE_CREATE_SIGNALED_BIT), f = fence(0), both[] = {signalled, f};
	gives(VK_SUCCESS, vkGetFenceStatus(device, signalled));
	gives(VK_NOT_READY, vkGetFenceStatus(device, f));
	gives(VK_TIMEOUT, vkWaitForFences(device, 1, &f, VK_TRUE, 0));
	gives(VK_TIMEOUT, vkWaitForFences(device, 2, both, VK_TRUE, 2000000));
	gives(VK_SUCCESS, vkWaitForFences(device, 2, both, VK_FALSE, UINT64_MAX));
	VkCommandBuffer c = one_step(7, 1);
	VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c};
	must(vkQueueSubmit(queue, 1, &info, f));
	gives(VK_SUCCESS, vkWaitForFences(device, 2, both, VK_TRUE, UINT64_MAX));
	check_steps(7, 1);
	gives(VK_SUCCESS, vkGetFenceStatus(device, f));
	gives(VK_SUCCESS, vkResetFences(device, 2, both));
	gives(VK_NOT_READY, vkGetFenceStatus(device, signalled));
	must(vkQueueSubmit(queue, 0, NULL, f)); // of nothing
	gives(VK_SUCCESS, vkWaitForFences(device, 1, &f, VK_TRUE, UINT64_MAX));
}

static VkSemaphore semaphore(VkSemaphoreType type, uint64_t value) {
	VkSemaphoreTypeCreateInfo of_type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, .semaphoreType = type, .initialValue = value};
	VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &of_type};
	VkSemaphore s;
	must(vkCreateSemaphore(device, &info, NULL, &s));
	KEEP(SEMAPHORE, s);
	return s;
}

static void binary_semaphores(void) {
	begin_steps();
	VkSemaphore s = semaphore(VK_SEMAPHORE_TYPE_BINARY, 0);
	VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	VkCommandBuffer first = one_step(2, 3), second = one_step(10, 0);
	VkSubmitInfo submits[] = {
	    {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &first, .signalSemaphoreCount = 1, .pSignalSemaphores = &s},
	    {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &second, .waitSemaphoreCount = 1, .pWaitSemaphores = &s, .pWaitDstStageMask = &stage},
	};
	must(vkQueueSubmit(queue, 2, submits, VK_NULL_HANDLE));
	must(vkQueueWaitIdle(queue));
	check_steps(20, 30);
}

static VkResult timeline_submit(VkQueue to, VkCommandBuffer c, VkSemaphore s, uint64_t wait, uint64_t signal) {
	VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, .waitSemaphoreValueCount = 1, .pWaitSemaphoreValues = &wait, .signalSemaphoreValueCount = 1, .pSignalSemaphoreValues = &signal};
	VkSubmitInfo info = {
	    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
	    .pNext = &values,
	    .commandBufferCount = 1,
	    .pCommandBuffers = &c,
	    .waitSemaphoreCount = 1,
	    .pWaitSemaphores = &s,
	    .pWaitDstStageMask = &stage,
	    .signalSemaphoreCount = 1,
	    .pSignalSemaphores = &s,
	};
	return vkQueueSubmit(to, 1, &info, VK_NULL_HANDLE);
}

static VkResult wait_value(VkSemaphore s, uint64_t value, uint64_t nanoseconds) {
	VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1, .pSemaphores = &s, .pValues = &value};
	return vkWaitSemaphores(device, &info, nanoseconds);
}

static VkResult signal_value(VkSemaphore s, uint64_t value) {
	VkSemaphoreSignalInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = s, .value = value};
	return vkSignalSemaphore(device, &info);
}

// Work is submitted before the value that it waits for: the host gives that later.
static void timeline_semaphores(void) {
	if (!features12.timelineSemaphore)
		return skip("timelineSemaphore");
	begin_steps();
	VkSemaphore s = semaphore(VK_SEMAPHORE_TYPE_TIMELINE, 5);
	uint64_t value;
	gives(VK_SUCCESS, vkGetSemaphoreCounterValue(device, s, &value));
	same("first value", 0, value, 5);
	VkCommandBuffer first = one_step(2, 1), second = one_step(3, 0);
	gives(VK_SUCCESS, timeline_submit(queue, first, s, 10, 20));
	gives(VK_SUCCESS, timeline_submit(queue, second, s, 20, 30));
	gives(VK_TIMEOUT, wait_value(s, 20, 5000000));
	same("word before the signal", 3, data.u32[3], 3);
	gives(VK_SUCCESS, signal_value(s, 10));
	gives(VK_SUCCESS, wait_value(s, 30, UINT64_MAX));
	gives(VK_SUCCESS, vkGetSemaphoreCounterValue(device, s, &value));
	same("last value", 0, value, 30);
	check_steps(6, 3);
}

// until_main_sleeps returns when the first thread of the process sleeps (proc(5): stat).
static void until_main_sleeps(void) {
	for (char state = 0; state != 'S';) {
		FILE *f = fopen("/proc/self/stat", "r");
		if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
			state = 'S'; // it can't be seen here
		if (f)
			fclose(f);
	}
}

static void *signal_later(void *s) {
	until_main_sleeps();
	VkResult result = signal_value((VkSemaphore)s, 1);
	return (void *)(intptr_t)result;
}

// One thread waits for a value that another gives.
static void timeline_threads(void) {
	if (!features12.timelineSemaphore)
		return skip("timelineSemaphore");
	VkSemaphore s = semaphore(VK_SEMAPHORE_TYPE_TIMELINE, 0);
	pthread_t other;
	pthread_create(&other, NULL, signal_later, (void *)s);
	gives(VK_SUCCESS, wait_value(s, 1, UINT64_MAX));
	void *result;
	pthread_join(other, &result);
	same("result of the signal", 0, (intptr_t)result, VK_SUCCESS);
}

static void any_of_two(void) {
	if (!features12.timelineSemaphore)
		return skip("timelineSemaphore");
	VkSemaphore two[] = {semaphore(VK_SEMAPHORE_TYPE_TIMELINE, 0), semaphore(VK_SEMAPHORE_TYPE_TIMELINE, 7)};
	uint64_t values[] = {3, 7};
	VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .flags = VK_SEMAPHORE_WAIT_ANY_BIT, .semaphoreCount = 2, .pSemaphores = two, .pValues = values};
	gives(VK_SUCCESS, vkWaitSemaphores(device, &info, UINT64_MAX));
	info.flags = 0;
	gives(VK_TIMEOUT, vkWaitSemaphores(device, &info, 1000000));
}

static void submit2(void) {
	if (!features13.synchronization2 || !features12.timelineSemaphore)
		return skip("synchronization2 with timelineSemaphore");
	begin_steps();
	VkSemaphoreSubmitInfo s = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, .semaphore = semaphore(VK_SEMAPHORE_TYPE_TIMELINE, 0), .value = 1, .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
	VkCommandBufferSubmitInfo buffers[] = {
	    {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, .commandBuffer = one_step(2, 5)},
	    {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, .commandBuffer = one_step(4, 0)},
	};
	VkSubmitInfo2 submits[] = {
	    {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2, .commandBufferInfoCount = 1, .pCommandBufferInfos = buffers, .signalSemaphoreInfoCount = 1, .pSignalSemaphoreInfos = &s},
	    {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2, .commandBufferInfoCount = 1, .pCommandBufferInfos = buffers + 1, .waitSemaphoreInfoCount = 1, .pWaitSemaphoreInfos = &s},
	};
	VkFence f = fence(0);
	gives(VK_SUCCESS, vkQueueSubmit2(queue, 2, submits, f));
	gives(VK_SUCCESS, vkWaitForFences(device, 1, &f, VK_TRUE, UINT64_MAX));
	check_steps(8, 20);
}

// Every queue of the device takes a step, each after the one before it.
static void queues(void) {
	if (!features12.timelineSemaphore)
		return skip("timelineSemaphore");
	VkQueueFamilyProperties families[16];
	uint32_t count = COUNT(families);
	vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
	float priorities[16] = {0};
	VkDeviceQueueCreateInfo infos[16] = {0};
	for (uint32_t i = 0; i < count; i++) {
		check(families[i].queueCount > 0 && families[i].queueFlags, "family %u has %u queues with the flags %#x", i, families[i].queueCount, families[i].queueFlags);
		uint32_t n = families[i].queueCount < 16 ? families[i].queueCount : 16;
		infos[i] = (VkDeviceQueueCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = i, .queueCount = n, .pQueuePriorities = priorities};
	}
	VkDevice first_device = device;
	VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &features, .queueCreateInfoCount = count, .pQueueCreateInfos = infos, .enabledExtensionCount = enabled_count, .ppEnabledExtensionNames = enabled_extensions};
	must(vkCreateDevice(physical, &info, NULL, &device));
	buffer words = host_buffer(4 * 64);
	VkSemaphore s = semaphore(VK_SEMAPHORE_TYPE_TIMELINE, 0);
	uint32_t last = 0;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t j = 0; j < infos[i].queueCount; j++) {
			VkCommandPoolCreateInfo of_pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = i};
			VkCommandPool own;
			must(vkCreateCommandPool(device, &of_pool, NULL, &own));
			KEEP(POOL, own);
			VkCommandBufferAllocateInfo one = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = own, .commandBufferCount = 1};
			VkCommandBuffer c;
			must(vkAllocateCommandBuffers(device, &one, &c));
			must(vkBeginCommandBuffer(c, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
			if (last == 0)
				vkCmdFillBuffer(c, words.buffer, 0, 4, 1);
			else
				vkCmdCopyBuffer(c, words.buffer, words.buffer, 1, &(VkBufferCopy){.srcOffset = 4 * (last - 1), .dstOffset = 4 * last, .size = 4});
			must(vkEndCommandBuffer(c));
			VkQueue q;
			vkGetDeviceQueue(device, i, j, &q);
			gives(VK_SUCCESS, timeline_submit(q, c, s, last, last + 1));
			last++;
		}
	gives(VK_SUCCESS, wait_value(s, last, UINT64_MAX));
	for (uint32_t i = 0; i < last; i++)
		same("word", i, words.u32[i], 1);
	must(vkDeviceWaitIdle(device));
	free_made();
	vkDestroyDevice(device, NULL);
	device = first_device;
}

// A thread without a stack for signals, as those of Rust are while they end, gets the signal by which Go asks threads to yield.
static void *without_signal_stack(void *unused) {
	VkFence f = fence(0);
	stack_t no = {.ss_flags = SS_DISABLE};
	sigaltstack(&no, NULL);
	pthread_kill(pthread_self(), SIGURG);
	(void)unused;
	return (void *)(intptr_t)vkGetFenceStatus(device, f);
}

static void signal_stacks(void) {
	pthread_t other;
	void *result;
	pthread_create(&other, NULL, without_signal_stack, NULL);
	pthread_join(other, &result);
	gives(VK_NOT_READY, (VkResult)(intptr_t)result);
}

int main(int count, char **words) {
	start(count, words, NULL);
	TEST(barriers);
	TEST(barriers2);
	TEST(events_of_host);
	TEST(events_of_device);
	TEST(events2);
	TEST(fences);
	TEST(binary_semaphores);
	TEST(timeline_semaphores);
	TEST(timeline_threads);
	TEST(any_of_two);
	TEST(submit2);
	TEST(queues);
	TEST(signal_stacks);
	return stop();
}
