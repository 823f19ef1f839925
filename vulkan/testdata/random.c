// Submissions drawn at random: dispatches, copies and fills over parts of one buffer, on one to three queues, kept apart where they touch the
// same bytes, and only there, by barriers, events, semaphores and timelines. The buffer must hold what they leave one after the other.
// SPVSIM_RANDOM_SUBMISSIONS says how many sets are drawn, SPVSIM_RANDOM_FIRST the first one's seed.
#include "queues.h"

enum { LANES = 64, REGION = 4 * LANES, REGIONS = 32, MOST = 64, MOST_GROUPS = 4, DEFAULT_SETS = 12 };

enum kinds { KERNELS = 1, MOVES = 2, BOTH = 3 }; // sets of kinds of work

typedef uint64_t works; // a set of work, by number

enum what { MIX, COPY, FILL };

typedef struct {
	enum what what;
	uint32_t source, target, regions, number; // regions; rounds, or the word that fills
} work;

// A list is what is submitted together, in a queue.
typedef struct {
	uint32_t queue;
	VkCommandBuffer commands;
	works in, before; // work in it, and all that is done when it ends
	uint64_t after[QUEUES];       // values of timelines that it waits for; 0: none
	VkPipelineStageFlags2 stages; // that wait
	VkSemaphore waits, signals;   // binary ones
	bool host;                    // it waits for the host
} list;

// A line is a queue as it is filled.
typedef struct {
	works in, seen[BOTH]; // what is in it, and what the next command of a kind comes after (of KERNELS and MOVES)
	list *open;
	uint64_t lists; // that are closed, which is the timeline's value after the last
	VkEvent event;
	works set; // what the event was set after
	enum kinds set_by;
	list *set_in;
	VkSemaphore timeline;
} line;

static uint64_t state;
static kernel k;
static buffer data;
static VkDescriptorPool descriptors;
static work all[MOST];
static works before[MOST]; // all that is done before each begins
static uint32_t count;
static line lines[QUEUES];
static list lists[4 * MOST];
static uint32_t list_count, queue_count;
static VkSemaphore host;
static bool binaries; // whose signals, with all that those wait for, must be submitted before they are waited for: submissions keep their order

static uint32_t draw(uint32_t below) {
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state >> 33) % below);
}

static enum kinds kind(const work *w) { return w->what == MIX ? KERNELS : MOVES; }

static bool meet(uint32_t a, uint32_t b, uint32_t na, uint32_t nb) { return a < b + nb && b < a + na; }

// touch says that one of two works writes what the other reads or writes.
static bool touch(const work *a, const work *b) {
	return meet(a->target, b->target, a->regions, b->regions) || (a->what != FILL && meet(a->source, b->target, a->regions, b->regions)) ||
	       (b->what != FILL && meet(a->target, b->source, a->regions, b->regions));
}

static void draw_work(work *w) {
	w->what = draw(3) ? MIX : draw(2) ? COPY : FILL;
	w->regions = 1 + draw(MOST_GROUPS);
	w->number = w->what == FILL ? draw(1 << 30) : draw(60);
	do {
		w->source = draw(REGIONS - w->regions);
		w->target = draw(REGIONS - w->regions);
	} while (meet(w->source, w->target, w->regions, w->regions));
}

// follow does what the work does, one word after the other.
static void follow(uint32_t *words, const work *w) {
	for (uint32_t i = 0; i < w->regions * LANES; i++) {
		uint32_t *to = &words[w->target * LANES + i], from = words[w->source * LANES + i];
		if (w->what != MIX)
			*to = w->what == COPY ? from : w->number;
		for (uint32_t r = 0; w->what == MIX && r < w->number; r++)
			*to = (*to ^ from) * 1664525 + 1013904223;
	}
}

// Filling queues

static list *open_list(uint32_t q) {
	line *l = &lines[q];
	if (!l->open) {
		l->open = &lists[list_count++];
		*l->open = (list){.queue = q, .commands = begin_on(q)};
		l->open->host = !binaries && draw(12) == 0;
	}
	return l->open;
}

static void close_list(uint32_t q) {
	line *l = &lines[q];
	if (!l->open)
		return;
	must(vkEndCommandBuffer(l->open->commands));
	l->open->before = l->in | l->seen[KERNELS] | l->seen[MOVES];
	l->open = NULL;
	l->lists++;
}

// list_of is the list that work is in, which is closed.
static list *list_of(uint32_t i, uint64_t *value) {
	uint64_t of[QUEUES] = {0};
	for (uint32_t n = 0; n < list_count; n++) {
		list *s = &lists[n];
		*value = ++of[s->queue];
		if (s->in >> i & 1)
			return s;
	}
	fail("work %u is in no list", i);
	exit(1);
}

static void sees(line *l, enum kinds to, works what) {
	if (to & KERNELS)
		l->seen[KERNELS] |= what;
	if (to & MOVES)
		l->seen[MOVES] |= what;
}

static VkPipelineStageFlags stages_of(enum kinds of) {
	if (of == BOTH && draw(2))
		return VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	return (of & KERNELS ? VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT : 0) | (of & MOVES ? VK_PIPELINE_STAGE_TRANSFER_BIT : 0);
}

// after_other has the next commands of a queue wait for work of another one, by a semaphore.
static void after_other(uint32_t q, uint32_t i, enum kinds to) {
	for (uint32_t p = 0; p < queue_count; p++)
		if (lines[p].open && lines[p].open->in >> i & 1)
			close_list(p);
	if (lines[q].open && lines[q].open->in)
		close_list(q);
	uint64_t value;
	list *other = list_of(i, &value), *s = open_list(q);
	s->stages |= stages_of(to);
	if (binaries && !other->signals && !s->waits && draw(2))
		other->signals = s->waits = semaphore(VK_SEMAPHORE_TYPE_BINARY);
	else if (s->after[other->queue] < value)
		s->after[other->queue] = value;
	sees(&lines[q], to, other->before);
}

// covered is what a barrier after work of those kinds comes after.
static works covered(const line *l, enum kinds from) {
	works sum = 0;
	for (uint32_t i = 0; i < count; i++)
		if (l->in >> i & 1 && kind(&all[i]) & from)
			sum |= (works)1 << i | before[i];
	return sum | (from & KERNELS ? l->seen[KERNELS] : 0) | (from & MOVES ? l->seen[MOVES] : 0);
}

static VkAccessFlags writes_of(enum kinds of) { return (of & KERNELS ? VK_ACCESS_SHADER_WRITE_BIT : 0) | (of & MOVES ? VK_ACCESS_TRANSFER_WRITE_BIT : 0); }

static VkAccessFlags accesses_of(enum kinds of) {
	return writes_of(of) | (of & KERNELS ? VK_ACCESS_SHADER_READ_BIT : 0) | (of & MOVES ? VK_ACCESS_TRANSFER_READ_BIT : 0);
}

// memory2 is the barrier of memory with the stages in it.
static VkMemoryBarrier2 memory2(enum kinds from, enum kinds to) {
	return (VkMemoryBarrier2){.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, .srcStageMask = stages_of(from), .srcAccessMask = writes_of(from), .dstStageMask = stages_of(to), .dstAccessMask = accesses_of(to)};
}

static void barrier(uint32_t q, enum kinds from, enum kinds to) {
	VkMemoryBarrier m = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = writes_of(from), .dstAccessMask = accesses_of(to)};
	VkMemoryBarrier2 m2 = memory2(from, to);
	VkDependencyInfo info = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &m2};
	VkCommandBuffer c = open_list(q)->commands;
	if (draw(2))
		vkCmdPipelineBarrier2(c, &info);
	else
		vkCmdPipelineBarrier(c, stages_of(from), stages_of(to), 0, 1, &m, 0, NULL, 0, NULL);
	sees(&lines[q], to, covered(&lines[q], from));
}

// An event is set in the list in which it is waited for.
static void set_event(uint32_t q, enum kinds by) {
	line *l = &lines[q];
	l->event = event();
	l->set = covered(l, by);
	l->set_by = by;
	l->set_in = open_list(q);
	vkCmdSetEvent(l->open->commands, l->event, by == BOTH ? VK_PIPELINE_STAGE_ALL_COMMANDS_BIT : stages_of(by));
}

static void wait_event(uint32_t q, enum kinds to) {
	line *l = &lines[q];
	VkMemoryBarrier m = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = writes_of(l->set_by), .dstAccessMask = accesses_of(to)};
	vkCmdWaitEvents(l->open->commands, 1, &l->event, l->set_by == BOTH ? VK_PIPELINE_STAGE_ALL_COMMANDS_BIT : stages_of(l->set_by), stages_of(to), 1, &m, 0, NULL, 0, NULL);
	l->set_in = NULL;
	sees(l, to, l->set);
}

// order has the next command of a queue come after work, by one barrier or event more at most.
static void order(uint32_t q, enum kinds of, works need) {
	line *l = &lines[q];
	enum kinds to = draw(3) ? of : BOTH;
	for (uint32_t i = 0; i < count; i++)
		if ((need & ~(l->seen[KERNELS] | l->seen[MOVES] | l->in)) >> i & 1)
			after_other(q, i, to);
	need &= ~l->seen[of];
	if (!need)
		return;
	if (l->set_in && l->set_in == l->open && !(need & ~l->set)) {
		wait_event(q, to);
		return;
	}
	enum kinds from = 1 + draw(BOTH);
	barrier(q, need & ~covered(l, from) ? BOTH : from, to);
}

static void record(VkCommandBuffer c, const work *w) {
	VkDeviceSize from = REGION * w->source, at = REGION * w->target, size = REGION * w->regions;
	if (w->what == COPY)
		vkCmdCopyBuffer(c, data.buffer, data.buffer, 1, &(VkBufferCopy){from, at, size});
	if (w->what == FILL)
		vkCmdFillBuffer(c, data.buffer, at, size, w->number);
	if (w->what != MIX)
		return;
	VkDescriptorSet set = set_from(descriptors, k.set_layout);
	write_buffer(set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, data.buffer, from, size);
	write_buffer(set, 1, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, data.buffer, at, size);
	bind(c, k, set);
	push(c, k, &w->number, 4);
	vkCmdDispatch(c, w->regions, 1, 1);
}

static void put(uint32_t i) {
	const work *w = &all[i];
	uint32_t q = draw(queue_count);
	line *l = &lines[q];
	works need = 0;
	for (uint32_t n = 0; n < i; n++)
		if (touch(&all[n], w) || draw(30) == 0)
			need |= (works)1 << n;
	if (draw(6) == 0)
		close_list(q);
	order(q, kind(w), need);
	before[i] = l->seen[kind(w)];
	list *s = open_list(q);
	record(s->commands, w);
	l->in |= (works)1 << i;
	s->in |= (works)1 << i;
	if (draw(4) == 0)
		set_event(q, 1 + draw(BOTH));
}

// Handing over

static void submit_list(list *s, uint64_t value) {
	VkSemaphoreSubmitInfo waits[QUEUES + 2], signals[2];
	uint32_t n = 0;
#define SEMAPHORE_OF(of, at, where) (VkSemaphoreSubmitInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, .semaphore = of, .value = at, .stageMask = where}
	for (uint32_t p = 0; p < queue_count; p++)
		if (s->after[p])
			waits[n++] = SEMAPHORE_OF(lines[p].timeline, s->after[p], s->stages);
	if (s->waits)
		waits[n++] = SEMAPHORE_OF(s->waits, 0, s->stages);
	if (s->host)
		waits[n++] = SEMAPHORE_OF(host, 1, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
	signals[0] = SEMAPHORE_OF(lines[s->queue].timeline, value, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
	signals[1] = SEMAPHORE_OF(s->signals, 0, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
	VkCommandBufferSubmitInfo of = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, .commandBuffer = s->commands};
	VkSubmitInfo2 info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2, .waitSemaphoreInfoCount = n, .pWaitSemaphoreInfos = waits, .commandBufferInfoCount = 1, .pCommandBufferInfos = &of,
	                      .signalSemaphoreInfoCount = s->signals ? 2 : 1, .pSignalSemaphoreInfos = signals};
	must(vkQueueSubmit2(queues[s->queue], 1, &info, VK_NULL_HANDLE));
}

static void wait_for(VkSemaphore s, uint64_t value) {
	VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1, .pSemaphores = &s, .pValues = &value};
	gives(VK_SUCCESS, vkWaitSemaphores(device, &info, UINT64_MAX));
}

// submit_all submits the lists of each queue in their order, and those of different queues in any where there are no binary semaphores.
static void submit_all(void) {
	uint64_t submitted[QUEUES] = {0};
	uint32_t next[QUEUES] = {0}, left = list_count, at = 0;
	while (left > 0) {
		uint32_t q = binaries ? lists[at++].queue : draw(queue_count);
		while (next[q] < list_count && lists[next[q]].queue != q)
			next[q]++;
		if (next[q] == list_count)
			continue;
		submit_list(&lists[next[q]++], ++submitted[q]);
		left--;
		if (binaries && draw(4) == 0) // what was submitted so far runs
			wait_for(lines[q].timeline, submitted[q]);
	}
	must(vkSignalSemaphore(device, &(VkSemaphoreSignalInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = host, .value = 1}));
}

// last has the host see all.
static void last(void) {
	for (uint32_t q = 0; q < queue_count; q++) {
		all_seen(open_list(q)->commands);
		close_list(q);
	}
}

static void one_set(uint64_t seed) {
	state = seed * 0x9E3779B97F4A7C15u + 1;
	list_count = 0;
	queue_count = 1 + draw(QUEUES);
	binaries = draw(2);
	k = kernel_of("mix", "bb", 4);
	data = host_buffer(REGION * REGIONS);
	descriptors = descriptor_pool(MOST, 0);
	uint32_t *words = malloc(data.size);
	for (uint32_t i = 0; i < LANES * REGIONS; i++)
		words[i] = data.u32[i] = draw(1 << 30);
	host = semaphore(VK_SEMAPHORE_TYPE_TIMELINE);
	for (uint32_t q = 0; q < queue_count; q++)
		lines[q] = (line){.timeline = semaphore(VK_SEMAPHORE_TYPE_TIMELINE)};
	count = 2 + draw(MOST - 2);
	for (uint32_t i = 0; i < count; i++) {
		draw_work(&all[i]);
		follow(words, &all[i]);
		put(i);
	}
	last();
	submit_all();
	must(vkDeviceWaitIdle(device));
	for (uint32_t i = 0; i < LANES * REGIONS; i++)
		check(data.u32[i] == words[i], "seed %" PRIu64 ", %u works on %u queues: word %u is %#x, want %#x", seed, count, queue_count, i, data.u32[i], words[i]);
	free(words);
}

static uint64_t number_of(const char *variable, uint64_t otherwise) {
	const char *text = getenv(variable);
	return text ? strtoull(text, NULL, 10) : otherwise;
}

static void sets(void) {
	uint64_t first = number_of("SPVSIM_RANDOM_FIRST", 0), n = number_of("SPVSIM_RANDOM_SUBMISSIONS", DEFAULT_SETS);
	for (uint64_t seed = first; seed < first + n && !test_faults; seed++) {
		if (!open_queues(NULL, NULL))
			return;
		one_set(seed);
		close_queues();
	}
}

int main(int argc, char **words) {
	start(argc, words, NULL);
	TEST(sets);
	return stop();
}
