// Command buffers: secondary ones, reuse, reset, several threads that record.
#include <pthread.h>
#include "vk.h"

static kernel add;
static buffer data;
static VkDescriptorSet set;

static void begin_steps(void) {
	add = kernel_of("add", "b", 8);
	data = words_from(0, 256);
	set = set_with(add.set_layout, &data, NULL);
}

static void step(VkCommandBuffer c, uint32_t times, uint32_t plus) {
	uint32_t constants[] = {times, plus};
	bind(c, add, set);
	push(c, add, constants, 8);
	vkCmdDispatch(c, 4, 1, 1);
	all_seen(c);
}

static void check_steps(uint32_t times, uint32_t plus) {
	for (uint32_t i = 0; i < 256; i++)
		same("word", i, data.u32[i], i * times + plus);
}

static VkCommandBuffer secondary(VkCommandBufferUsageFlags usage, uint32_t times, uint32_t plus) {
	VkCommandBufferInheritanceInfo inherits = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
	VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, .flags = usage, .pInheritanceInfo = &inherits};
	VkCommandBuffer c = command_buffer(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
	must(vkBeginCommandBuffer(c, &info));
	step(c, times, plus);
	must(vkEndCommandBuffer(c));
	return c;
}

static void executed(void) {
	begin_steps();
	VkCommandBuffer two[] = {secondary(0, 2, 1), secondary(0, 3, 0)}, c = begin();
	step(c, 1, 1);
	vkCmdExecuteCommands(c, 2, two);
	step(c, 1, 7); // state is undefined after secondaries, so step sets it anew
	finish(c);
	check_steps(6, 16);
}

static void executed_twice(void) {
	begin_steps();
	VkCommandBuffer s = secondary(VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, 2, 1), c = begin();
	vkCmdExecuteCommands(c, 1, &s);
	vkCmdExecuteCommands(c, 1, &s);
	finish(c);
	check_steps(4, 3);
}

static void submitted_again(void) {
	begin_steps();
	VkCommandBuffer c = begin();
	step(c, 2, 1);
	finish(c);
	submit_to(queue, c);
	submit_to(queue, c);
	check_steps(8, 7);
}

// Ten submissions of one command buffer, none awaited before the next.
static void simultaneous(void) {
	begin_steps();
	VkCommandBuffer c = command_buffer(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
	VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT};
	must(vkBeginCommandBuffer(c, &info));
	all_seen(c);
	step(c, 1, 3);
	must(vkEndCommandBuffer(c));
	VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c};
	for (int i = 0; i < 10; i++)
		must(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
	must(vkQueueWaitIdle(queue));
	check_steps(1, 30);
}

static void recorded_again(void) {
	begin_steps();
	VkCommandBuffer c = begin();
	step(c, 100, 100);
	must(vkEndCommandBuffer(c));
	must(vkResetCommandBuffer(c, 0));
	VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
	must(vkBeginCommandBuffer(c, &info));
	step(c, 2, 0);
	finish(c);
	must(vkBeginCommandBuffer(c, &info)); // resets by itself
	step(c, 1, 1);
	finish(c);
	check_steps(2, 1);
}

// A set that is bound stays bound when a pipeline of a compatible layout comes.
static void state_stays(void) {
	begin_steps();
	kernel other = kernel_of("add", "b", 8);
	uint32_t constants[] = {5, 2};
	VkCommandBuffer c = begin();
	bind(c, add, set);
	push(c, add, constants, 8);
	vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, other.pipeline);
	vkCmdDispatch(c, 4, 1, 1);
	finish(c);
	check_steps(5, 2);
}

typedef struct {
	VkCommandPool pool;
	VkCommandBuffer buffer;
	uint32_t plus;
} recorder;

static void *record(void *of) {
	recorder *r = of;
	VkCommandPoolCreateInfo of_pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = queue_family};
	must(vkCreateCommandPool(device, &of_pool, NULL, &r->pool));
	VkCommandBufferAllocateInfo one = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = r->pool, .commandBufferCount = 1};
	must(vkAllocateCommandBuffers(device, &one, &r->buffer));
	must(vkBeginCommandBuffer(r->buffer, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
	for (int i = 0; i < 20; i++)
		step(r->buffer, 1, r->plus);
	must(vkEndCommandBuffer(r->buffer));
	return NULL;
}

static void recorded_by_threads(void) {
	begin_steps();
	recorder recorders[4];
	pthread_t threads[4];
	VkCommandBuffer buffers[4];
	for (uint32_t i = 0; i < 4; i++) {
		recorders[i].plus = 1u << i;
		pthread_create(threads + i, NULL, record, recorders + i);
	}
	for (uint32_t i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		KEEP(POOL, recorders[i].pool);
		buffers[i] = recorders[i].buffer;
	}
	VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 4, .pCommandBuffers = buffers};
	must(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
	must(vkQueueWaitIdle(queue));
	check_steps(1, 20 * 15);
}

static void many_in_one_pool(void) {
	begin_steps();
	VkCommandBuffer all[64];
	VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 64};
	must(vkAllocateCommandBuffers(device, &info, all));
	vkFreeCommandBuffers(device, pool, 32, all);
	vkTrimCommandPool(device, pool, 0);
	must(vkBeginCommandBuffer(all[40], &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
	step(all[40], 3, 3);
	finish(all[40]);
	check_steps(3, 3);
	vkFreeCommandBuffers(device, pool, 32, all + 32);
}

int main(int count, char **words) {
	start(count, words, NULL);
	TEST(executed);
	TEST(executed_twice);
	TEST(submitted_again);
	TEST(simultaneous);
	TEST(recorded_again);
	TEST(state_stays);
	TEST(recorded_by_threads);
	TEST(many_in_one_pool);
	return stop();
}
