// Accesses beyond a buffer by a device without robustBufferAccess, for the check of dispatches. robust.c has them with it.
#include "vk.h"

static void beyond(void) {
	kernel k = kernel_of("beyond", "bbu", 12);
	buffer data = words_from(500, 64), out = host_buffer(20), fixed = words_from(9, 64 * 4);
	VkDescriptorSet set = set_with(k.set_layout, &data, &out, NULL);
	write_buffer(set, 2, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, fixed.buffer, 0, VK_WHOLE_SIZE);
	uint32_t places[] = {63, 64, 0x3fffffff};
	run(k, set, places, 12, 1);
}

int main(int count, char **words) {
	start(count, words, NULL);
	TEST(beyond);
	return stop();
}
