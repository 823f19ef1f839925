// How long the host takes for a dispatch of one workgroup that is submitted alone, from the beginning of its recording to its end; and for each of many
// that are submitted together.
#include <time.h>
#include "vk.h"

enum { TIMES = 1000 };

static double microseconds(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static int order(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double bound; // microseconds that half of the dispatches may take; 0: any
static kernel k;
static VkDescriptorSet set;
static const uint32_t constants[] = {1, 1};

static double together(void) {
	VkCommandBuffer c = begin();
	bind(c, k, set);
	push(c, k, constants, sizeof constants);
	for (int i = 0; i < TIMES; i++)
		vkCmdDispatch(c, 1, 1, 1);
	double began = microseconds();
	finish(c);
	return (microseconds() - began) / TIMES;
}

static void overhead(void) {
	k = kernel_of("add", "b", sizeof constants);
	buffer data = words_from(0, 64);
	set = set_with(k.set_layout, &data, NULL);
	double took[TIMES];
	for (int i = -1; i < TIMES; i++) { // the first one does what is done once
		double began = microseconds();
		run(k, set, constants, sizeof constants, 1);
		if (i >= 0)
			took[i] = microseconds() - began;
	}
	qsort(took, TIMES, sizeof took[0], order);
	printf("# alone: %.1f us, of ten the fastest %.1f and the slowest %.1f; together: %.1f us each\n", took[TIMES / 2], took[TIMES / 10], took[TIMES * 9 / 10], together());
	if (bound > 0)
		check(took[TIMES / 2] < bound, "half of the dispatches took longer than %g us, want %g at most", took[TIMES / 2], bound);
	for (uint32_t i = 0; i < 64; i++)
		same("word", i, data.u32[i], i + 2 * TIMES + 1);
}

int main(int count, char **words) {
	bound = count > 2 ? atof(words[2]) : 0;
	start(2, words, NULL);
	TEST(overhead);
	return stop();
}
