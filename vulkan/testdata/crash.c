// A program that ends in a way of its own when its work is done: "abort" and
// "segv" as programs crash, "leave" by exit without destroying what it made.
#include "vk.h"

int main(int count, char **words) {
	const char *how = count > 2 ? words[2] : "leave";
	start(2, words, NULL);
	kernel k = kernel_of("add", "b", 8);
	buffer data = words_from(0, 256);
	VkCommandBuffer c = begin();
	bind(c, k, set_with(k.set_layout, &data, NULL));
	for (uint32_t i = 0; i < 20; i++) {
		uint32_t constants[] = {3, i};
		push(c, k, constants, 8);
		vkCmdDispatch(c, 4, 1, 1);
		all_seen(c);
	}
	finish(c);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "segv"))
		*(volatile int *)8 = 1;
	exit(0);
}
