// Buffer device addresses: pointers in push constants and in memory.
#include "vk.h"

static void linked_list(void) {
	if (!features12.bufferDeviceAddress || !features.features.shaderInt64)
		return skip("bufferDeviceAddress with shaderInt64");
	kernel k = kernel_of("chain", "", 24);
	buffer nodes = host_buffer(16 * 64), elsewhere = host_buffer(16), out = host_buffer(4 * 64);
	uint32_t at = 0;
	for (uint32_t i = 0; i < 20; i++) { // nodes in an order that jumps about
		uint32_t next = (at + 29) % 64;
		nodes.u64[2 * at] = i == 19 ? elsewhere.address : nodes.address + 16 * next;
		nodes.u32[4 * at + 2] = 100 + i;
		at = next;
	}
	elsewhere.u32[2] = 7;
	uint64_t constants[] = {nodes.address, out.address, 4 * 40};
	run(k, VK_NULL_HANDLE, constants, 24, 1);
	for (uint32_t i = 0; i < 20; i++)
		same("value of node", i, out.u32[i], 100 + i);
	same("value of the last node", 20, out.u32[20], 7);
	same("nodes", 40, out.u32[40], 21);
}

static void distinct(void) {
	if (!features12.bufferDeviceAddress)
		return skip("bufferDeviceAddress");
	buffer a = host_buffer(1000), b = host_buffer(1000);
	check(a.address && b.address, "addresses %#" PRIx64 " and %#" PRIx64 ", want neither 0", a.address, b.address);
	check(a.address + 1000 <= b.address || b.address + 1000 <= a.address, "buffers at %#" PRIx64 " and %#" PRIx64 " overlap", a.address, b.address);
}

// Two buffers in one allocation stand as far apart as their places in it.
static void suballocated(void) {
	if (!features12.bufferDeviceAddress)
		return skip("bufferDeviceAddress");
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 256, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
	VkBuffer buffers[2];
	VkMemoryRequirements needs;
	for (int i = 0; i < 2; i++)
		must(vkCreateBuffer(device, &info, NULL, buffers + i));
	vkGetBufferMemoryRequirements(device, buffers[0], &needs);
	VkDeviceSize apart = (needs.size + 4095) & ~(VkDeviceSize)4095;
	needs.size = apart * 2;
	VkDeviceMemory memory = allocate(needs, host_memory);
	VkDeviceAddress addresses[2];
	for (int i = 0; i < 2; i++) {
		KEEP(BUFFER, buffers[i]);
		must(vkBindBufferMemory(device, buffers[i], memory, apart * (VkDeviceSize)i));
		addresses[i] = vkGetBufferDeviceAddress(device, &(VkBufferDeviceAddressInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = buffers[i]});
	}
	same("distance", 0, addresses[1] - addresses[0], apart);
}

int main(int count, char **words) {
	start(count, words, NULL);
	TEST(linked_list);
	TEST(distinct);
	TEST(suballocated);
	return stop();
}
