// Device-generated commands: sequences of a pipeline, push constants and a dispatch, which the device reads from its memory.
#include "vk.h"

// The headers of Debian bookworm do not have the extension (number 573 of the registry).
#define GENERATED(n) ((VkStructureType)(1000572000 + (n)))
enum { TOKEN_EXECUTION_SET = 0, TOKEN_PUSH_CONSTANT = 1, TOKEN_SEQUENCE_INDEX = 2, TOKEN_DRAW = 6, TOKEN_DISPATCH = 9 };
enum { EXPLICIT_PREPROCESS = 1, UNORDERED = 2 };

typedef struct { uint32_t type; VkShaderStageFlags stages; } set_token;
typedef struct { VkStructureType sType; const void *pNext; uint32_t type; const void *data; uint32_t offset; } token;
typedef struct { VkStructureType sType; const void *pNext; uint32_t flags; VkShaderStageFlags stages; uint32_t stride; VkPipelineLayout layout; uint32_t count; const token *tokens; } layout_info;
typedef struct { VkStructureType sType; const void *pNext; VkPipeline first; uint32_t most; } set_pipelines;
typedef struct { VkStructureType sType; const void *pNext; uint32_t type; const set_pipelines *pipelines; } set_info;
typedef struct { VkStructureType sType; const void *pNext; uint32_t index; VkPipeline pipeline; } set_write;
typedef struct { VkStructureType sType; const void *pNext; uint64_t set, layout; uint32_t most, draws; } needs_info;
typedef struct {
	VkStructureType sType; const void *pNext; VkShaderStageFlags stages; uint64_t set, layout;
	VkDeviceAddress at; VkDeviceSize bytes; VkDeviceAddress preprocess; VkDeviceSize preprocess_bytes; uint32_t most; VkDeviceAddress count; uint32_t draws;
} generated_info;
typedef struct { VkStructureType sType; const void *pNext; uint64_t flags; } flags2;

typedef VkResult (*create_function)(VkDevice, const void *, const void *, uint64_t *);
typedef void (*destroy_function)(VkDevice, uint64_t, const void *);
#define OF_DEVICE(type, name) type name = (type)vkGetDeviceProcAddr(device, "vk" #name "EXT")

typedef struct { uint32_t pipeline, first, value, groups[3]; } sequence;

// What the tests share: two pipelines, of factors 10 and 1000, in an execution set, and a layout for sequences of the structure above.
typedef struct { kernel k; VkPipeline other; uint64_t set, layout; } generator;

static VkPipeline bindable(VkPipelineLayout layout, uint32_t factor) {
	VkSpecializationMapEntry entry = {0, 0, 4};
	VkSpecializationInfo constants = {1, &entry, 4, &factor};
	VkComputePipelineCreateInfo info = pipeline_info("sequence", layout, &constants);
	flags2 flags = {.sType = (VkStructureType)1000470005, .flags = 1ull << 38};
	info.pNext = &flags;
	return pipeline_of(&info);
}

static bool begin_generator(generator *g, uint32_t flags) {
	if (!has(VK_GENERATED_COMMANDS_NAME)) {
		skip(VK_GENERATED_COMMANDS_NAME);
		return false;
	}
	g->k = (kernel){.set_layout = set_layout("b", 0)};
	g->k.layout = pipeline_layout(1, &g->k.set_layout, 12);
	g->k.pipeline = bindable(g->k.layout, 10), g->other = bindable(g->k.layout, 1000);
	OF_DEVICE(create_function, CreateIndirectExecutionSet);
	OF_DEVICE(create_function, CreateIndirectCommandsLayout);
	set_pipelines first = {.sType = GENERATED(10), .first = g->k.pipeline, .most = 2};
	set_info of_set = {.sType = GENERATED(3), .pipelines = &first};
	must(CreateIndirectExecutionSet(device, &of_set, NULL, &g->set));
	void (*UpdateIndirectExecutionSetPipeline)(VkDevice, uint64_t, uint32_t, const set_write *) = (void (*)(VkDevice, uint64_t, uint32_t, const set_write *))vkGetDeviceProcAddr(device, "vkUpdateIndirectExecutionSetPipelineEXT");
	UpdateIndirectExecutionSetPipeline(device, g->set, 1, &(set_write){.sType = GENERATED(8), .index = 1, .pipeline = g->other});
	set_token choice = {0, VK_SHADER_STAGE_COMPUTE_BIT};
	VkPushConstantRange values = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 8}, number = {VK_SHADER_STAGE_COMPUTE_BIT, 8, 4};
	token tokens[] = {
	    {GENERATED(7), NULL, TOKEN_EXECUTION_SET, &choice, 0},
	    {GENERATED(7), NULL, TOKEN_PUSH_CONSTANT, &values, 4},
	    {GENERATED(7), NULL, TOKEN_SEQUENCE_INDEX, &number, 0},
	    {GENERATED(7), NULL, TOKEN_DISPATCH, NULL, 12},
	};
	layout_info of_layout = {.sType = GENERATED(6), .flags = flags, .stages = VK_SHADER_STAGE_COMPUTE_BIT, .stride = sizeof(sequence), .layout = g->k.layout, .count = COUNT(tokens), .tokens = tokens};
	must(CreateIndirectCommandsLayout(device, &of_layout, NULL, &g->layout));
	return true;
}

static void end_generator(generator *g) {
	must(vkDeviceWaitIdle(device));
	OF_DEVICE(destroy_function, DestroyIndirectExecutionSet);
	OF_DEVICE(destroy_function, DestroyIndirectCommandsLayout);
	DestroyIndirectExecutionSet(device, g->set, NULL);
	DestroyIndirectCommandsLayout(device, g->layout, NULL);
}

static generated_info info_of(generator *g, const buffer *list, VkDeviceAddress count, uint32_t most) {
	needs_info of_needs = {.sType = GENERATED(2), .set = g->set, .layout = g->layout, .most = most};
	VkMemoryRequirements2 needs = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
	void (*GetGeneratedCommandsMemoryRequirements)(VkDevice, const needs_info *, VkMemoryRequirements2 *) = (void (*)(VkDevice, const needs_info *, VkMemoryRequirements2 *))vkGetDeviceProcAddr(device, "vkGetGeneratedCommandsMemoryRequirementsEXT");
	GetGeneratedCommandsMemoryRequirements(device, &of_needs, &needs);
	flags2 usage = {.sType = (VkStructureType)1000470006, .flags = 1ull << 31 | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT}; // VK_BUFFER_USAGE_2_PREPROCESS_BUFFER_BIT_EXT
	buffer scratch = buffer_with(&usage, 0, needs.memoryRequirements.size, host_memory);
	return (generated_info){.sType = GENERATED(4), .stages = VK_SHADER_STAGE_COMPUTE_BIT, .set = g->set, .layout = g->layout, .at = list->address, .bytes = most * sizeof(sequence),
	                        .preprocess = scratch.address, .preprocess_bytes = needs.memoryRequirements.size, .most = most, .count = count};
}

static void execute(VkCommandBuffer c, bool preprocessed, const generated_info *info) {
	void (*CmdExecuteGeneratedCommands)(VkCommandBuffer, VkBool32, const generated_info *) = (void (*)(VkCommandBuffer, VkBool32, const generated_info *))vkGetDeviceProcAddr(device, "vkCmdExecuteGeneratedCommandsEXT");
	CmdExecuteGeneratedCommands(c, preprocessed, info);
}

static void check_sequences(const sequence *list, uint32_t count, const buffer *out) {
	static const uint32_t factors[] = {10, 1000};
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < 32 * list[i].groups[0]; k++)
			same("word of a sequence", 1000 * i + k, out->u32[list[i].first + k], list[i].value * factors[list[i].pipeline] + i);
}

// Sequences of the host, some of no workgroups, and words that no sequence writes.
static void from_host(void) {
	generator g;
	if (!begin_generator(&g, 0))
		return;
	enum { N = 20 };
	buffer list = host_buffer(N * sizeof(sequence)), out = host_buffer(4 * 32 * 3 * N);
	sequence *s = (sequence *)list.u32;
	for (uint32_t i = 0; i < N; i++)
		s[i] = (sequence){i % 2, 96 * i, 7 + i, {i % 4, 1, 1}};
	generated_info info = info_of(&g, &list, 0, N);
	VkCommandBuffer c = begin();
	bind(c, g.k, set_with(g.k.set_layout, &out, NULL));
	execute(c, false, &info);
	finish(c);
	check_sequences(s, N, &out);
	same("word of a sequence of no workgroups", 0, out.u32[0], 0);
	end_generator(&g);
}

// Sequences and their number that a dispatch writes before, with preprocessing by itself, and more places than sequences.
static void from_device(void) {
	generator g;
	if (!begin_generator(&g, EXPLICIT_PREPROCESS | UNORDERED))
		return;
	enum { MOST = 100, MADE = 32 };
	kernel maker = kernel_of("sequences", "bb", 0);
	buffer list = host_buffer(MOST * sizeof(sequence)), count = host_buffer(8), out = host_buffer(4 * 32 * 3 * MOST);
	generated_info info = info_of(&g, &list, count.address, MOST);
	void (*CmdPreprocessGeneratedCommands)(VkCommandBuffer, const generated_info *, VkCommandBuffer) = (void (*)(VkCommandBuffer, const generated_info *, VkCommandBuffer))vkGetDeviceProcAddr(device, "vkCmdPreprocessGeneratedCommandsEXT");
	VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT, .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT};
	VkCommandBuffer c = begin();
	bind(c, maker, set_with(maker.set_layout, &list, &count, NULL));
	vkCmdDispatch(c, 1, 1, 1);
	vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
	bind(c, g.k, set_with(g.k.set_layout, &out, NULL));
	CmdPreprocessGeneratedCommands(c, &info, c);
	vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
	execute(c, true, &info);
	finish(c);
	same("sequences", 0, count.u32[0], MADE);
	check_sequences((sequence *)list.u32, MADE, &out);
	end_generator(&g);
}

// A number of 0 in memory, and one that is larger than the most.
static void counts(void) {
	generator g;
	if (!begin_generator(&g, 0))
		return;
	buffer list = host_buffer(4 * sizeof(sequence)), out = host_buffer(4 * 32 * 4), count = host_buffer(8);
	sequence *s = (sequence *)list.u32;
	for (uint32_t i = 0; i < 4; i++)
		s[i] = (sequence){0, 32 * i, 5, {1, 1, 1}};
	count.u32[1] = 9;
	generated_info none = info_of(&g, &list, count.address, 2), more = info_of(&g, &list, count.address + 4, 3);
	VkCommandBuffer c = begin();
	bind(c, g.k, set_with(g.k.set_layout, &out, NULL));
	execute(c, false, &none);
	finish(c);
	same("word without a sequence", 0, out.u32[0], 0);
	c = begin();
	bind(c, g.k, set_with(g.k.set_layout, &out, NULL));
	execute(c, false, &more);
	finish(c);
	check_sequences(s, 3, &out);
	same("word of a sequence beyond the most", 0, out.u32[96], 0);
	end_generator(&g);
}

// Sequences that a copy overwrites while a dispatch may still write them.
static void unsynchronized(void) {
	kernel maker = kernel_of("sequences", "bb", 0);
	buffer list = host_buffer(32 * sizeof(sequence)), count = host_buffer(8);
	VkCommandBuffer c = begin();
	bind(c, maker, set_with(maker.set_layout, &list, &count, NULL));
	vkCmdDispatch(c, 1, 1, 1);
	vkCmdCopyBuffer(c, count.buffer, list.buffer, 1, &(VkBufferCopy){0, 0, 4});
	finish(c);
}

int main(int count, char **words) {
	start(count, words, VK_KHR_MAINTENANCE_5_NAME, VK_GENERATED_COMMANDS_NAME, NULL);
	TEST(from_host);
	TEST(from_device);
	TEST(counts);
	if (picked && !strcmp(picked, "unsynchronized"))
		TEST(unsynchronized); // a mistake, which validation finds
	return stop();
}
