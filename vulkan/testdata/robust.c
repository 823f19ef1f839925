// Robust access: what a shader reads beyond a buffer's range is 0, and what it writes there goes nowhere.
#include "vk.h"

static void beyond(void) {
	if (!robustness2.robustBufferAccess2)
		return skip("robustBufferAccess2");
	kernel k = kernel_of("beyond", "bbu", 12);
	buffer data = words_from(500, 1024), out = host_buffer(20), fixed = words_from(9, 64);
	memset(out.bytes, 0xee, 20);
	VkDescriptorSet set = set_with(k.set_layout, &data, &out, NULL);
	write_buffer(set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, data.buffer, 0, 64 * 4); // what lies after it is there, but not in the range
	write_buffer(set, 2, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, fixed.buffer, 0, 256);
	uint32_t places[] = {63, 64, 0x3fffffff};
	run(k, set, places, 12, 1);
	uint32_t want[] = {563, 0, 0, 64, 0};
	for (int i = 0; i < 5; i++)
		same("found", i, out.u32[i], want[i]);
	same("last word of the range", 63, data.u32[63], 79);
	for (uint32_t i = 64; i < 1024; i++)
		same("word after the range", i, data.u32[i], 500 + i);
}

static void null_descriptors(void) {
	if (!robustness2.nullDescriptor)
		return skip("nullDescriptor");
	kernel k = kernel_of("none", "bb", 0);
	buffer out = host_buffer(8);
	VkDescriptorSet set = set_from(descriptor_pool(1, 0), k.set_layout);
	write_buffer(set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_NULL_HANDLE, 0, VK_WHOLE_SIZE);
	write_buffer(set, 1, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out.buffer, 0, VK_WHOLE_SIZE);
	out.u32[0] = 99;
	run(k, set, NULL, 0, 1);
	same("word and length of nothing", 0, out.u32[0], 0);
	same("word after the write", 1, out.u32[1], 1);
}

int main(int count, char **words) {
	robust = true;
	start(count, words, VK_EXT_ROBUSTNESS_2_EXTENSION_NAME, NULL);
	TEST(beyond);
	TEST(null_descriptors);
	return stop();
}
