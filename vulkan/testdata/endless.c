// A dispatch that never ends, under a limit that the driver is given: the device is lost. And a process that is forked from one with a device: its
// calls are errors, and it ends. The second word says which.
#include <sys/wait.h>
#include <unistd.h>
#include "vk.h"

static VkFence submitted(VkCommandBuffer c) {
	VkFenceCreateInfo of_fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkFence f;
	must(vkEndCommandBuffer(c));
	must(vkCreateFence(device, &of_fence, NULL, &f));
	VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c};
	must(vkQueueSubmit(queue, 1, &info, f));
	return f;
}

static void limited(void) {
	kernel k = kernel_of("endless", "b", 0);
	buffer data = host_buffer(64);
	VkCommandBuffer c = begin();
	bind(c, k, set_with(k.set_layout, &data, NULL));
	vkCmdDispatch(c, 2, 1, 1);
	quiet = true;
	VkFence f = submitted(c);
	gives(VK_ERROR_DEVICE_LOST, vkWaitForFences(device, 1, &f, VK_TRUE, UINT64_MAX));
	gives(VK_ERROR_DEVICE_LOST, vkQueueWaitIdle(queue));
	exit(test_faults ? 1 : 0); // what a lost device has is not freed
}

static void forked(void) {
	pid_t child = fork();
	if (child == 0) {
		VkBuffer b = VK_NULL_HANDLE;
		VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 64, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
		bool lost = vkCreateBuffer(device, &info, NULL, &b) == VK_ERROR_DEVICE_LOST && vkDeviceWaitIdle(device) == VK_ERROR_DEVICE_LOST;
		exit(lost ? 0 : 1); // by the way of exit, where the driver ends what it writes
	}
	int status = -1;
	waitpid(child, &status, 0);
	same("status of the child", 0, (uint32_t)status, 0);
	must(vkDeviceWaitIdle(device));
}

int main(int count, char **words) {
	start(2, words, NULL);
	if (count > 2 && !strcmp(words[2], "fork"))
		TEST(forked);
	else
		TEST(limited);
	return stop();
}
