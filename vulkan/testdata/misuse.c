// Programs that misuse the API: freed objects, wrong sizes, handles of nothing.
// What happens is undefined by Vulkan; here it must be an error, no effect, or
// an end with a message. Each misuse runs in a process of its own. A crash
// without words, a trace of the driver's own code, or a hang is a fault.
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "vk.h"

static kernel add;
static buffer data;
static VkDescriptorSet set;

static VkCommandBuffer prepared(void) {
	add = kernel_of("add", "b", 8);
	data = words_from(0, 256);
	set = set_with(add.set_layout, &data, NULL);
	return begin();
}

static void dispatch(VkCommandBuffer c) {
	uint32_t constants[] = {2, 1};
	bind(c, add, set);
	push(c, add, constants, 8);
	vkCmdDispatch(c, 4, 1, 1);
}

// go ends and submits the commands, whatever comes of it; it waits a while.
static void go(VkCommandBuffer c) {
	vkEndCommandBuffer(c);
	VkFenceCreateInfo of_fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkFence fence;
	must(vkCreateFence(device, &of_fence, NULL, &fence));
	VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c};
	vkQueueSubmit(queue, 1, &info, fence);
	vkWaitForFences(device, 1, &fence, VK_TRUE, 2000000000);
}

static void freed_buffer(void) {
	VkCommandBuffer c = prepared();
	dispatch(c);
	vkDestroyBuffer(device, data.buffer, NULL);
	go(c);
}
static void freed_memory(void) {
	VkCommandBuffer c = prepared();
	dispatch(c);
	vkFreeMemory(device, data.memory, NULL);
	go(c);
}
static void freed_pipeline(void) {
	VkCommandBuffer c = prepared();
	dispatch(c);
	vkDestroyPipeline(device, add.pipeline, NULL);
	go(c);
}
static void freed_pipeline_bound(void) {
	VkCommandBuffer c = prepared();
	vkDestroyPipeline(device, add.pipeline, NULL);
	dispatch(c);
	go(c);
}
static void freed_layouts(void) {
	VkCommandBuffer c = prepared();
	vkDestroyPipelineLayout(device, add.layout, NULL);
	vkDestroyDescriptorSetLayout(device, add.set_layout, NULL);
	dispatch(c);
	go(c);
}
static void freed_set(void) {
	VkCommandBuffer c = prepared();
	VkDescriptorPool p = descriptor_pool(1, 0);
	set = set_from(p, add.set_layout);
	vkDestroyDescriptorPool(device, p, NULL);
	dispatch(c);
	go(c);
}
static void freed_command_buffer(void) {
	VkCommandBuffer c = prepared();
	dispatch(c);
	vkDestroyCommandPool(device, pool, NULL);
	go(c);
}
static void freed_twice(void) {
	prepared();
	vkDestroyBuffer(device, data.buffer, NULL);
	vkDestroyBuffer(device, data.buffer, NULL);
	vkFreeMemory(device, data.memory, NULL);
	vkFreeMemory(device, data.memory, NULL);
	vkDestroyPipeline(device, add.pipeline, NULL);
	vkDestroyPipeline(device, add.pipeline, NULL);
}
static void freed_device(void) {
	prepared();
	vkDestroyDevice(device, NULL);
	vkDestroyInstance(instance, NULL);
}
static void handles_of_nothing(void) {
	VkCommandBuffer c = prepared();
	add.pipeline = (VkPipeline)(uintptr_t)0x12345678;
	set = (VkDescriptorSet)(uintptr_t)0x77777777;
	add.layout = (VkPipelineLayout)(uintptr_t)0xdeadbeef;
	dispatch(c);
	vkCmdFillBuffer(c, (VkBuffer)(uintptr_t)99, 0, 4, 0);
	go(c);
}
static void handles_of_another_kind(void) {
	VkCommandBuffer c = prepared();
	add.pipeline = (VkPipeline)data.buffer;
	set = (VkDescriptorSet)data.memory;
	dispatch(c);
	vkCmdFillBuffer(c, (VkBuffer)add.layout, 0, 4, 0);
	go(c);
}
static void null_handles(void) {
	VkCommandBuffer c = prepared();
	vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, VK_NULL_HANDLE);
	vkCmdFillBuffer(c, VK_NULL_HANDLE, 0, 4, 0);
	vkCmdDispatchIndirect(c, VK_NULL_HANDLE, 0);
	vkCmdDispatch(c, 1, 1, 1);
	go(c);
}
static void no_pipeline(void) {
	VkCommandBuffer c = prepared();
	vkCmdDispatch(c, 1, 1, 1);
	go(c);
}
static void no_set(void) {
	VkCommandBuffer c = prepared();
	bind(c, add, VK_NULL_HANDLE);
	vkCmdDispatch(c, 1, 1, 1);
	go(c);
}
static void set_not_written(void) {
	VkCommandBuffer c = prepared();
	set = set_from(descriptor_pool(1, 0), add.set_layout);
	dispatch(c);
	go(c);
}
static void buffer_without_memory(void) {
	VkCommandBuffer c = prepared();
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 1024, .usage = any_usage};
	VkBuffer b;
	must(vkCreateBuffer(device, &info, NULL, &b));
	write_buffer(set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, b, 0, VK_WHOLE_SIZE);
	dispatch(c);
	vkCmdFillBuffer(c, b, 0, VK_WHOLE_SIZE, 1);
	go(c);
}
static void range_beyond_buffer(void) {
	VkCommandBuffer c = prepared();
	write_buffer(set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, data.buffer, 512, 1 << 20);
	dispatch(c);
	vkCmdDispatch(c, 4096, 1, 1);
	go(c);
}
static void binding_not_in_layout(void) {
	VkCommandBuffer c = prepared();
	write_buffer(set, 5, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, data.buffer, 0, VK_WHOLE_SIZE);
	write_buffer(set, 0, 9, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, data.buffer, 0, VK_WHOLE_SIZE);
	write_buffer(set, 0, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, data.buffer, 0, VK_WHOLE_SIZE);
	dispatch(c);
	go(c);
}
static void copies_beyond(void) {
	VkCommandBuffer c = prepared();
	buffer other = host_buffer(64);
	VkBufferCopy regions[] = {{.size = 1024}, {.srcOffset = 1 << 30, .size = 4}, {.dstOffset = UINT64_MAX - 2, .size = 8}, {.size = UINT64_MAX}};
	vkCmdCopyBuffer(c, data.buffer, other.buffer, COUNT(regions), regions);
	go(c);
}
static void fills_beyond(void) {
	VkCommandBuffer c = prepared();
	vkCmdFillBuffer(c, data.buffer, 1 << 20, 64, 1);
	vkCmdFillBuffer(c, data.buffer, 1000, 1 << 20, 1);
	vkCmdFillBuffer(c, data.buffer, 3, 5, 1);
	vkCmdUpdateBuffer(c, data.buffer, 1020, 64, data.bytes);
	go(c);
}
static void push_beyond(void) {
	VkCommandBuffer c = prepared();
	uint8_t bytes[4096] = {0};
	bind(c, add, set);
	vkCmdPushConstants(c, add.layout, VK_SHADER_STAGE_COMPUTE_BIT, 100, 3996, bytes);
	vkCmdPushConstants(c, add.layout, VK_SHADER_STAGE_COMPUTE_BIT, UINT32_MAX - 3, 64, bytes);
	vkCmdDispatch(c, 1, 1, 1);
	go(c);
}
static void dispatch_beyond_limits(void) {
	VkCommandBuffer c = prepared();
	bind(c, add, set);
	vkCmdDispatch(c, UINT32_MAX, UINT32_MAX, UINT32_MAX);
	go(c);
}
static void indirect_beyond(void) {
	VkCommandBuffer c = prepared();
	dispatch(c);
	vkCmdDispatchIndirect(c, data.buffer, 1020);
	vkCmdDispatchIndirect(c, data.buffer, UINT64_MAX - 1);
	go(c);
}
static void sets_beyond(void) {
	VkCommandBuffer c = prepared();
	VkDescriptorSet sets[] = {set, set, set};
	uint32_t offsets[] = {1, 2, 3};
	vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, add.layout, 0, 3, sets, 3, offsets);
	vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, add.layout, 4000000000u, 1, sets, 0, NULL);
	dispatch(c);
	go(c);
}
static void map_beyond(void) {
	prepared();
	void *at;
	vkUnmapMemory(device, data.memory);
	vkUnmapMemory(device, data.memory);
	VkResult result = vkMapMemory(device, data.memory, 1 << 20, 64, 0, &at);
	check(result < 0, "a map beyond the end of the memory gave %d", result);
}
static void bind_beyond(void) {
	VkCommandBuffer c = prepared();
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 1 << 20, .usage = any_usage};
	VkBuffer b;
	must(vkCreateBuffer(device, &info, NULL, &b));
	vkBindBufferMemory(device, b, data.memory, 512);
	write_buffer(set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, b, 0, VK_WHOLE_SIZE);
	dispatch(c);
	vkCmdFillBuffer(c, b, 0, VK_WHOLE_SIZE, 7);
	go(c);
}
static void memory_type_of_nothing(void) {
	VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = 64, .memoryTypeIndex = 77};
	VkDeviceMemory memory;
	VkResult result = vkAllocateMemory(device, &info, NULL, &memory);
	check(result < 0, "memory of type 77 gave %d", result);
}
static void memory_beyond_heap(void) {
	uint32_t type = memory_type(~0u, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
	VkDeviceSize heap = memory_properties.memoryHeaps[memory_properties.memoryTypes[type].heapIndex].size;
	VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = heap + (1 << 20), .memoryTypeIndex = type};
	VkDeviceMemory memory;
	for (int i = 0; i < 3; i++, info.allocationSize = i == 1 ? UINT64_MAX - 100 : 1ull << 50) {
		VkResult result = vkAllocateMemory(device, &info, NULL, &memory);
		check(result < 0, "%" PRIu64 " bytes of a heap of %" PRIu64 " gave %d", info.allocationSize, heap, result);
	}
}
static void queries_beyond(void) {
	VkCommandBuffer c = prepared();
	VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 2};
	VkQueryPool q;
	must(vkCreateQueryPool(device, &info, NULL, &q));
	vkCmdResetQueryPool(c, q, 1, 1000);
	vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, q, 99);
	vkCmdCopyQueryPoolResults(c, q, 0, 50, data.buffer, 1000, 8, VK_QUERY_RESULT_64_BIT);
	go(c);
	uint64_t values[64];
	vkGetQueryPoolResults(device, q, 0, 60, sizeof values, values, 8, VK_QUERY_RESULT_64_BIT);
	vkGetQueryPoolResults(device, q, 0, 2, 4, values, 8, VK_QUERY_RESULT_64_BIT);
}

static VkResult pipeline_from(const uint32_t *code, size_t bytes, const char *entry, const VkSpecializationInfo *constants) {
	VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = code};
	VkShaderModule m;
	VkResult result = vkCreateShaderModule(device, &info, NULL, &m);
	if (result != VK_SUCCESS)
		return result;
	VkComputePipelineCreateInfo of_pipeline = {
	    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
	    .layout = add.layout,
	    .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = m, .pName = entry, .pSpecializationInfo = constants},
	};
	VkPipeline p;
	return vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &of_pipeline, NULL, &p);
}
static void modules_of_nonsense(void) {
	prepared();
	uint32_t nonsense[64];
	for (int i = 0; i < 64; i++)
		nonsense[i] = (uint32_t)i * 0x9e3779b9;
	check(pipeline_from(nonsense, sizeof nonsense, "main", NULL) < 0, "random words made a pipeline");
	size_t bytes;
	uint32_t *code = module_words("add", &bytes);
	for (size_t part = 4; part < bytes; part += 36)
		check(pipeline_from(code, part & ~(size_t)3, "main", NULL) < 0, "%zu of %zu bytes of a module made a pipeline", part, bytes);
	check(pipeline_from(code, bytes, "not_there", NULL) < 0, "an entry point that is not there made a pipeline");
	for (size_t i = 5; i < bytes / 4; i++) { // one word wrong
		uint32_t before = code[i];
		code[i] ^= 0x11;
		pipeline_from(code, bytes, "main", NULL);
		code[i] = before;
	}
}
static void constants_beyond(void) {
	prepared();
	size_t bytes;
	uint32_t *code = module_words("constants", &bytes), value = 3;
	VkSpecializationMapEntry entries[] = {{0, 4000, 4}, {1, 2, 4}, {2, 0, 1000000}, {3, UINT32_MAX, 4}};
	VkSpecializationInfo constants = {4, entries, 4, &value};
	pipeline_from(code, bytes, "main", &constants);
}
static void layout_without_binding(void) {
	VkCommandBuffer c = prepared();
	kernel k = {.set_layout = set_layout("u", 0)}; // the shader wants a storage buffer
	k.layout = pipeline_layout(1, &k.set_layout, 0);
	VkComputePipelineCreateInfo info = pipeline_info("add", k.layout, NULL);
	if (vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &k.pipeline) == VK_SUCCESS) {
		bind(c, k, set);
		vkCmdDispatch(c, 1, 1, 1);
	}
	go(c);
}
static void not_begun(void) {
	prepared();
	VkCommandBuffer c = command_buffer(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
	dispatch(c);
	go(c);
}
static void begun_twice(void) {
	VkCommandBuffer c = prepared();
	dispatch(c);
	vkBeginCommandBuffer(c, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO});
	dispatch(c);
	vkEndCommandBuffer(c);
	go(c);
}
static void submitted_while_recording(void) {
	VkCommandBuffer c = prepared();
	dispatch(c);
	VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c};
	vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE);
	vkQueueWaitIdle(queue);
}
static void executes_itself(void) {
	VkCommandBuffer c = prepared();
	dispatch(c);
	vkCmdExecuteCommands(c, 1, &c);
	go(c);
}
static void waits_for_nobody(void) {
	prepared();
	VkFence fences[] = {(VkFence)(uintptr_t)0x5555};
	vkWaitForFences(device, 1, fences, VK_TRUE, 1000000);
	vkResetFences(device, 1, fences);
	vkGetFenceStatus(device, fences[0]);
}
static void value_goes_back(void) {
	prepared();
	VkSemaphoreTypeCreateInfo timeline = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE, .initialValue = 10};
	VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &timeline};
	VkSemaphore s;
	must(vkCreateSemaphore(device, &info, NULL, &s));
	vkSignalSemaphore(device, &(VkSemaphoreSignalInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = s, .value = 3});
	uint64_t value = 0;
	vkGetSemaphoreCounterValue(device, s, &value);
	check(value >= 10, "a semaphore went back to %" PRIu64, value);
}
static void wild_address(void) {
	if (!features12.bufferDeviceAddress || !features.features.shaderInt64)
		return skip("bufferDeviceAddress");
	prepared();
	kernel k = kernel_of("chain", "", 24);
	uint64_t constants[] = {0xdead0000beefull, 0x1234567812345678ull, 40};
	VkCommandBuffer c = begin();
	bind(c, k, VK_NULL_HANDLE);
	push(c, k, constants, 24);
	vkCmdDispatch(c, 1, 1, 1);
	go(c);
}
static void structures_of_nonsense(void) {
	prepared();
	struct {
		VkStructureType sType;
		void *pNext;
		uint64_t rest[8];
	} unknown = {.sType = (VkStructureType)0x7ffffff0};
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = &unknown, .size = 0, .usage = 0};
	VkBuffer b;
	vkCreateBuffer(device, &info, NULL, &b);
	info.size = UINT64_MAX;
	VkResult result = vkCreateBuffer(device, &info, NULL, &b);
	VkMemoryRequirements needs;
	if (result == VK_SUCCESS)
		vkGetBufferMemoryRequirements(device, b, &needs);
	VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &unknown};
	vkGetPhysicalDeviceProperties2(physical, &all);
}

static const struct {
	const char *name;
	void (*body)(void);
} misuses[] = {
#define MISUSE(name) {#name, name}
    MISUSE(freed_buffer), MISUSE(freed_memory), MISUSE(freed_pipeline), MISUSE(freed_pipeline_bound), MISUSE(freed_layouts), MISUSE(freed_set),
    MISUSE(freed_command_buffer), MISUSE(freed_twice), MISUSE(freed_device), MISUSE(handles_of_nothing), MISUSE(handles_of_another_kind), MISUSE(null_handles),
    MISUSE(no_pipeline), MISUSE(no_set), MISUSE(set_not_written), MISUSE(buffer_without_memory), MISUSE(range_beyond_buffer), MISUSE(binding_not_in_layout),
    MISUSE(copies_beyond), MISUSE(fills_beyond), MISUSE(push_beyond), MISUSE(dispatch_beyond_limits), MISUSE(indirect_beyond), MISUSE(sets_beyond),
    MISUSE(map_beyond), MISUSE(bind_beyond), MISUSE(memory_type_of_nothing), MISUSE(memory_beyond_heap), MISUSE(queries_beyond), MISUSE(modules_of_nonsense), MISUSE(constants_beyond),
    MISUSE(layout_without_binding), MISUSE(not_begun), MISUSE(begun_twice), MISUSE(submitted_while_recording), MISUSE(executes_itself), MISUSE(waits_for_nobody),
    MISUSE(value_goes_back), MISUSE(wild_address), MISUSE(structures_of_nonsense),
};

// heard_from reads what a child says until it ends; false when it takes longer than it may.
static bool heard_from(int from, char *said, size_t room) {
	size_t n = 0;
	time_t end = time(NULL) + 60;
	for (;;) {
		struct pollfd one = {.fd = from, .events = POLLIN};
		if (time(NULL) > end)
			return false;
		if (poll(&one, 1, 1000) <= 0)
			continue;
		char piece[4096];
		ssize_t got = read(from, piece, sizeof piece);
		if (got <= 0)
			break;
		size_t keep = (size_t)got < room - 1 - n ? (size_t)got : room - 1 - n;
		memcpy(said + n, piece, keep);
		n += keep;
	}
	while (n && said[n - 1] == '\n')
		n--;
	said[n] = 0;
	return true;
}

static void judge(int status, const char *said) {
	const char *traces[] = {"goroutine ", "panic: ", "fatal error: ", "runtime error", "FAIL "};
	for (size_t i = 0; i < COUNT(traces); i++)
		if (strstr(said, traces[i])) {
			fail("it said: %.400s", strstr(said, traces[i]));
			return;
		}
	if (WIFSIGNALED(status) || WEXITSTATUS(status))
		check(said[0], "ended with status %#x and no word", (unsigned)status);
}

// misuse runs one in a child, with what it says in our hands.
static void misuse(size_t i, int count, char **words) {
	test_name = misuses[i].name;
	test_faults = 0;
	fflush(stdout);
	int ends[2];
	if (pipe(ends))
		abort();
	pid_t child = fork();
	if (child == 0) {
		dup2(ends[1], 1), dup2(ends[1], 2), close(ends[0]), close(ends[1]);
		start(count, words, NULL);
		misuses[i].body();
		fflush(stdout);
		_exit(0);
	}
	close(ends[1]);
	static char said[1 << 16];
	bool ended = heard_from(ends[0], said, sizeof said);
	if (!ended)
		kill(child, SIGKILL);
	close(ends[0]);
	int status;
	waitpid(child, &status, 0);
	check(ended, "still running after a minute");
	if (ended)
		judge(status, said);
	if (!test_faults)
		printf(WIFEXITED(status) && !WEXITSTATUS(status) ? "ok %s\n" : "ok %s, ended: %.200s\n", test_name, said);
	faults += test_faults;
}

int main(int count, char **words) {
	quiet = true;
	for (size_t i = 0; i < COUNT(misuses); i++)
		if (count == 3 && !strcmp(words[2], "list")) {
			puts(misuses[i].name);
		} else if (count == 4 && !strcmp(words[2], misuses[i].name)) { // and a third one, in this process
			start(count, words, NULL);
			misuses[i].body();
		} else if (count < 3 || !strcmp(words[2], misuses[i].name)) // a second word picks one
			misuse(i, count, words);
	return faults ? 1 : 0;
}
