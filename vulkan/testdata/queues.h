// Devices with several queues of one family, and semaphores between those.
#ifndef QUEUES_H
#define QUEUES_H

#include "vk.h"

enum { QUEUES = 3 };

static VkQueue queues[QUEUES];
static VkCommandPool pools[QUEUES];
static VkDevice first_device;

// open_queues makes a device with queues of one family, of a global priority where there is one, and of priorities among themselves.
static bool open_queues(const VkQueueGlobalPriorityKHR *global, const float *priorities) {
	static const float alike[QUEUES] = {1, 1, 1};
	VkQueueFamilyProperties families[8];
	uint32_t count = COUNT(families);
	vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
	if (families[queue_family].queueCount < QUEUES) {
		skip("three queues of a family");
		return false;
	}
	VkDeviceQueueCreateInfo of = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = queue_family, .queueCount = QUEUES, .pQueuePriorities = priorities ? priorities : alike};
	VkDeviceQueueGlobalPriorityCreateInfoKHR over_all = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_GLOBAL_PRIORITY_CREATE_INFO_KHR};
	if (global) {
		over_all.globalPriority = *global;
		of.pNext = &over_all;
	}
	VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &features, .queueCreateInfoCount = 1, .pQueueCreateInfos = &of, .enabledExtensionCount = enabled_count, .ppEnabledExtensionNames = enabled_extensions};
	first_device = device;
	must(vkCreateDevice(physical, &info, NULL, &device));
	for (uint32_t i = 0; i < QUEUES; i++) {
		vkGetDeviceQueue(device, queue_family, i, &queues[i]);
		VkCommandPoolCreateInfo of_pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = queue_family};
		must(vkCreateCommandPool(device, &of_pool, NULL, &pools[i]));
		KEEP(POOL, pools[i]);
	}
	return true;
}

static void close_queues(void) {
	must(vkDeviceWaitIdle(device));
	free_made();
	vkDestroyDevice(device, NULL);
	device = first_device;
}

static VkCommandBuffer begin_on(uint32_t q) {
	VkCommandBufferAllocateInfo one = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pools[q], .commandBufferCount = 1};
	VkCommandBuffer c;
	must(vkAllocateCommandBuffers(device, &one, &c));
	must(vkBeginCommandBuffer(c, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
	return c;
}

static VkSemaphore semaphore(VkSemaphoreType type) {
	VkSemaphoreTypeCreateInfo of_type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, .semaphoreType = type};
	VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &of_type};
	VkSemaphore s;
	must(vkCreateSemaphore(device, &info, NULL, &s));
	KEEP(SEMAPHORE, s);
	return s;
}

static VkEvent event(void) {
	VkEventCreateInfo info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
	VkEvent e;
	must(vkCreateEvent(device, &info, NULL, &e));
	KEEP(EVENT, e);
	return e;
}

#endif
