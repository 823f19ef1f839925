// Memory: types and heaps, maps, suballocation, dedicated allocations, and memory of the program's own that the device uses.
#include "vk.h"

static void types(void) {
	bool coherent = false, local = false;
	check(memory_properties.memoryTypeCount && memory_properties.memoryHeapCount, "%u types of memory in %u heaps", memory_properties.memoryTypeCount, memory_properties.memoryHeapCount);
	for (uint32_t i = 0; i < memory_properties.memoryTypeCount; i++) {
		VkMemoryType type = memory_properties.memoryTypes[i];
		check(type.heapIndex < memory_properties.memoryHeapCount, "type %u is of heap %u", i, type.heapIndex);
		coherent |= (type.propertyFlags & host_memory) == host_memory;
		local |= (type.propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0;
	}
	check(coherent && local, "no coherent host-visible type, or no device-local one");
	for (uint32_t i = 0; i < memory_properties.memoryHeapCount; i++)
		check(memory_properties.memoryHeaps[i].size >= 1 << 20, "heap %u has %" PRIu64 " bytes", i, memory_properties.memoryHeaps[i].size);
}

// Two buffers of one allocation, one map over both, mapped again at an offset.
static void shared_allocation(void) {
	kernel k = kernel_of("pair", "bb", 0);
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 512, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
	buffer b[2] = {{.size = 512}, {.size = 512}};
	VkMemoryRequirements needs;
	for (int i = 0; i < 2; i++)
		must(vkCreateBuffer(device, &info, NULL, &b[i].buffer));
	vkGetBufferMemoryRequirements(device, b[0].buffer, &needs);
	check(needs.size >= 512 && needs.alignment && !(needs.alignment & (needs.alignment - 1)), "%" PRIu64 " bytes with the alignment %" PRIu64, needs.size, needs.alignment);
	VkDeviceSize second = (needs.size + 1023) & ~(VkDeviceSize)1023;
	VkDeviceSize one = needs.size;
	needs.size = second + one;
	VkDeviceMemory memory = allocate(needs, host_memory);
	VkBindBufferMemoryInfo binds[2];
	for (uint32_t i = 0; i < 2; i++) {
		KEEP(BUFFER, b[i].buffer);
		binds[i] = (VkBindBufferMemoryInfo){.sType = VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO, .buffer = b[i].buffer, .memory = memory, .memoryOffset = i * second};
	}
	must(vkBindBufferMemory2(device, 2, binds));
	uint32_t *words;
	must(vkMapMemory(device, memory, 0, 512, 0, (void **)&words));
	for (uint32_t i = 0; i < 128; i++)
		words[i] = i;
	vkUnmapMemory(device, memory);
	run(k, set_with(k.set_layout, b, b + 1, NULL), NULL, 0, 2);
	must(vkMapMemory(device, memory, second, VK_WHOLE_SIZE, 0, (void **)&words));
	for (uint32_t i = 0; i < 128; i++)
		same("word", i, words[i], 2 * i + 1);
	VkMappedMemoryRange range = {.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, .memory = memory, .offset = second, .size = VK_WHOLE_SIZE};
	gives(VK_SUCCESS, vkFlushMappedMemoryRanges(device, 1, &range));
	gives(VK_SUCCESS, vkInvalidateMappedMemoryRanges(device, 1, &range));
	vkUnmapMemory(device, memory);
}

static void dedicated(void) {
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 4096, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
	VkBuffer b;
	must(vkCreateBuffer(device, &info, NULL, &b));
	VkMemoryDedicatedRequirements wants = {.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS};
	VkMemoryRequirements2 needs = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2, .pNext = &wants};
	vkGetBufferMemoryRequirements2(device, &(VkBufferMemoryRequirementsInfo2){.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2, .buffer = b}, &needs);
	VkMemoryDedicatedAllocateInfo dedicates = {.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, .buffer = b};
	VkMemoryAllocateInfo allocates = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &dedicates, .allocationSize = needs.memoryRequirements.size, .memoryTypeIndex = memory_type(needs.memoryRequirements.memoryTypeBits, 0)};
	VkDeviceMemory memory;
	must(vkAllocateMemory(device, &allocates, NULL, &memory));
	KEEP(MEMORY, memory);
	KEEP(BUFFER, b);
	gives(VK_SUCCESS, vkBindBufferMemory(device, b, memory, 0));
}

// The needs of a buffer that doesn't exist are those of one that does.
static void needs_without_buffer(void) {
	if (!features13.maintenance4)
		return skip("maintenance4");
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 1000, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
	VkMemoryRequirements2 needs = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
	vkGetDeviceBufferMemoryRequirements(device, &(VkDeviceBufferMemoryRequirements){.sType = VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS, .pCreateInfo = &info}, &needs);
	VkBuffer b;
	must(vkCreateBuffer(device, &info, NULL, &b));
	KEEP(BUFFER, b);
	VkMemoryRequirements real;
	vkGetBufferMemoryRequirements(device, b, &real);
	same("size", 0, needs.memoryRequirements.size, real.size);
	same("alignment", 0, needs.memoryRequirements.alignment, real.alignment);
	same("types", 0, needs.memoryRequirements.memoryTypeBits, real.memoryTypeBits);
}

static void imported(void) {
	if (!has(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME))
		return skip(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
	DEVICE_FUNCTION(vkGetMemoryHostPointerPropertiesEXT);
	VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
	VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &host};
	vkGetPhysicalDeviceProperties2(physical, &all);
	size_t size = 4 * host.minImportedHostPointerAlignment;
	uint32_t *words = aligned_alloc(host.minImportedHostPointerAlignment, size);
	for (uint32_t i = 0; i < size / 4; i++)
		words[i] = i;
	const VkExternalMemoryHandleTypeFlagBits of_host = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
	VkMemoryHostPointerPropertiesEXT pointer = {.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
	gives(VK_SUCCESS, vkGetMemoryHostPointerPropertiesEXT(device, of_host, words, &pointer));
	VkExternalMemoryBufferCreateInfo external = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, .handleTypes = of_host};
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = &external, .size = size, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
	VkBuffer b;
	must(vkCreateBuffer(device, &info, NULL, &b));
	VkMemoryRequirements needs;
	vkGetBufferMemoryRequirements(device, b, &needs);
	VkImportMemoryHostPointerInfoEXT import = {.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, .handleType = of_host, .pHostPointer = words};
	VkMemoryAllocateInfo allocates = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &import, .allocationSize = size, .memoryTypeIndex = memory_type(needs.memoryTypeBits & pointer.memoryTypeBits, 0)};
	VkDeviceMemory memory;
	must(vkAllocateMemory(device, &allocates, NULL, &memory));
	KEEP(MEMORY, memory);
	KEEP(BUFFER, b);
	must(vkBindBufferMemory(device, b, memory, 0));
	kernel k = kernel_of("add", "b", 8);
	buffer data = {.buffer = b};
	uint32_t constants[] = {3, 2};
	run(k, set_with(k.set_layout, &data, NULL), constants, 8, (uint32_t)(size / 256));
	for (uint32_t i = 0; i < size / 4; i++)
		same("word", i, words[i], 3 * i + 2);
	must(vkDeviceWaitIdle(device));
	free_made(); // before the memory goes
	free(words);
}

static void budget(void) {
	if (!has(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME))
		return skip(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
	VkPhysicalDeviceMemoryBudgetPropertiesEXT before = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT}, after = before;
	VkPhysicalDeviceMemoryProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, .pNext = &before};
	vkGetPhysicalDeviceMemoryProperties2(physical, &all);
	buffer_in(1 << 20, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
	all.pNext = &after;
	vkGetPhysicalDeviceMemoryProperties2(physical, &all);
	VkDeviceSize grown = 0;
	for (uint32_t i = 0; i < memory_properties.memoryHeapCount; i++)
		grown += after.heapUsage[i] - before.heapUsage[i];
	check(grown >= 1 << 20, "a megabyte more is %" PRIu64 " bytes more in use", grown);
}

int main(int count, char **words) {
	start(count, words, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME, NULL);
	TEST(types);
	TEST(shared_allocation);
	TEST(dedicated);
	TEST(needs_without_buffer);
	TEST(imported);
	TEST(budget);
	return stop();
}
