// A dispatch with a race in the LDS and one between workgroups, for the check of dispatches.
#include "vk.h"

static void races(void) {
	kernel k = kernel_of("unordered", "b", 0);
	buffer out = host_buffer(4 * 64);
	VkCommandBuffer c = begin();
	bind(c, k, set_with(k.set_layout, &out, NULL));
	vkCmdDispatch(c, 2, 1, 1);
	finish(c);
}

int main(int count, char **words) {
	start(count, words, NULL);
	TEST(races);
	return stop();
}
