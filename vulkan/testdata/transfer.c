// Copies, fills and updates of buffers.
#include "vk.h"

static void copy(void) {
	buffer a = words_from(0, 1024), b = host_buffer(4096), between = buffer_in(4096, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
	VkBufferCopy whole = {.size = 4096}, parts[] = {{.srcOffset = 4, .dstOffset = 100, .size = 40}, {.srcOffset = 2049, .dstOffset = 3, .size = 5}};
	VkCommandBuffer c = begin();
	vkCmdFillBuffer(c, b.buffer, 0, VK_WHOLE_SIZE, 0xabababab);
	vkCmdCopyBuffer(c, a.buffer, between.buffer, 1, &whole);
	all_seen(c);
	vkCmdCopyBuffer(c, between.buffer, b.buffer, 2, parts);
	finish(c);
	for (uint32_t i = 0; i < 4096; i++) {
		uint8_t want = i >= 100 && i < 140 ? a.u8[i - 96] : i >= 3 && i < 8 ? a.u8[i - 3 + 2049] : 0xab;
		same("byte", i, b.u8[i], want);
	}
}

static void copy_within(void) {
	buffer a = words_from(0, 64);
	VkBufferCopy region = {.srcOffset = 0, .dstOffset = 128, .size = 128};
	VkCommandBuffer c = begin();
	vkCmdCopyBuffer(c, a.buffer, a.buffer, 1, &region);
	finish(c);
	for (uint32_t i = 0; i < 64; i++)
		same("word", i, a.u32[i], i % 32);
}

static void copy2(void) {
	buffer a = words_from(0, 64), b = host_buffer(256);
	VkBufferCopy2 region = {.sType = VK_STRUCTURE_TYPE_BUFFER_COPY_2, .srcOffset = 16, .dstOffset = 32, .size = 64};
	VkCopyBufferInfo2 info = {.sType = VK_STRUCTURE_TYPE_COPY_BUFFER_INFO_2, .srcBuffer = a.buffer, .dstBuffer = b.buffer, .regionCount = 1, .pRegions = &region};
	VkCommandBuffer c = begin();
	vkCmdCopyBuffer2(c, &info);
	finish(c);
	for (uint32_t i = 0; i < 64; i++)
		same("word", i, b.u32[i], i >= 8 && i < 24 ? i - 4 : 0);
}

static void fill(void) {
	buffer a = host_buffer(1003); // the last three bytes are no word
	VkCommandBuffer c = begin();
	vkCmdFillBuffer(c, a.buffer, 0, VK_WHOLE_SIZE, 0x01020304);
	all_seen(c);
	vkCmdFillBuffer(c, a.buffer, 8, 12, 0xfffefdfc);
	finish(c);
	for (uint32_t i = 0; i < 250; i++)
		same("word", i, a.u32[i], i >= 2 && i < 5 ? 0xfffefdfc : 0x01020304);
	for (uint32_t i = 1000; i < 1003; i++)
		same("byte", i, a.u8[i], 0);
}

// An update's bytes are read when the command is recorded.
static void update(void) {
	buffer a = host_buffer(65536 + 64);
	uint32_t *data = malloc(65536);
	for (uint32_t i = 0; i < 16384; i++)
		data[i] = i * i;
	VkCommandBuffer c = begin();
	vkCmdUpdateBuffer(c, a.buffer, 32, 65536, data);
	memset(data, 0xff, 65536);
	finish(c);
	for (uint32_t i = 0; i < 16384; i++)
		same("word", i, a.u32[8 + i], i * i);
	same("word before", 7, a.u32[7], 0);
	same("word after", 16392, a.u32[16392], 0);
	free(data);
}

// A transfer reads what a dispatch wrote, and a dispatch what a transfer wrote.
static void between_dispatches(void) {
	kernel k = kernel_of("add", "b", 8);
	buffer a = words_from(0, 256), b = host_buffer(1024);
	VkDescriptorSet of_a = set_with(k.set_layout, &a, NULL), of_b = set_with(k.set_layout, &b, NULL);
	uint32_t constants[] = {3, 1};
	VkBufferCopy region = {.size = 1024};
	VkCommandBuffer c = begin();
	bind(c, k, of_a);
	push(c, k, constants, 8);
	vkCmdDispatch(c, 4, 1, 1);
	all_seen(c);
	vkCmdCopyBuffer(c, a.buffer, b.buffer, 1, &region);
	all_seen(c);
	bind(c, k, of_b);
	vkCmdDispatch(c, 4, 1, 1);
	finish(c);
	for (uint32_t i = 0; i < 256; i++) {
		same("word of the first", i, a.u32[i], 3 * i + 1);
		same("word of the second", i, b.u32[i], 9 * i + 4);
	}
}

int main(int count, char **words) {
	start(count, words, NULL);
	TEST(copy);
	TEST(copy_within);
	TEST(copy2);
	TEST(fill);
	TEST(update);
	TEST(between_dispatches);
	return stop();
}
