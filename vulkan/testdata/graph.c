// Execution graphs: VK_AMDX_shader_enqueue.
#include "graphs.h"

// wanted is the payload of the first node.
typedef struct {
	uint32_t first, count, index;
} wanted;

static kernel graph;
static uint32_t split_node;
static VkBuffer scratch_buffer;
static VkDeviceAddress scratch;
static VkDeviceSize scratch_bytes;

static VkPipelineShaderStageCreateInfo stage_of(const char *module_name, const char *entry, const node_info *node) {
	return (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .pNext = node, .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = module(module_name), .pName = entry};
}
static VkPipelineShaderStageCreateInfo stage(const char *entry, const node_info *node) { return stage_of("squares", entry, node); }

// make_graph makes a pipeline in which "cube" stands as index 1 of the node "square".
static void make_graph(void) {
	DEVICE_FUNCTION(vkCreateExecutionGraphPipelinesAMDX);
	DEVICE_FUNCTION(vkGetExecutionGraphPipelineNodeIndexAMDX);
	node_info nodes[] = {{NODE, NULL, "split", 0}, {NODE, NULL, "square", 0}, {NODE, NULL, "square", 1}};
	VkPipelineShaderStageCreateInfo stages[] = {stage("split", nodes), stage("square", nodes + 1), stage("cube", nodes + 2)};
	graph.set_layout = set_layout("b", 0);
	graph.layout = pipeline_layout(1, &graph.set_layout, 0);
	graph_pipeline_info info = {.sType = GRAPH_PIPELINE, .stageCount = 3, .pStages = stages, .layout = graph.layout};
	must(vkCreateExecutionGraphPipelinesAMDX(device, VK_NULL_HANDLE, 1, &info, NULL, &graph.pipeline));
	KEEP(PIPELINE, graph.pipeline);
	must(vkGetExecutionGraphPipelineNodeIndexAMDX(device, graph.pipeline, nodes, &split_node));
}

static void make_scratch(void) {
	DEVICE_FUNCTION(vkGetExecutionGraphPipelineScratchSizeAMDX);
	scratch_size size = {.sType = SCRATCH_SIZE};
	must(vkGetExecutionGraphPipelineScratchSizeAMDX(device, graph.pipeline, &size));
	check(size.minSize <= size.maxSize, "scratch of %" PRIu64 " to %" PRIu64 " bytes", size.minSize, size.maxSize);
	scratch_bytes = size.maxSize ? size.maxSize : 256;
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = scratch_bytes, .usage = SCRATCH_USAGE | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
	must(vkCreateBuffer(device, &info, NULL, &scratch_buffer));
	VkMemoryRequirements needs;
	vkGetBufferMemoryRequirements(device, scratch_buffer, &needs);
	VkDeviceMemory memory = allocate(needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
	KEEP(BUFFER, scratch_buffer);
	must(vkBindBufferMemory(device, scratch_buffer, memory, 0));
	scratch = vkGetBufferDeviceAddress(device, &(VkBufferDeviceAddressInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = scratch_buffer});
}

static bool has_graphs(void) {
	if (has(VK_AMDX_ENQUEUE_NAME) && shader_enqueue.on[0])
		return true;
	skip(VK_AMDX_ENQUEUE_NAME);
	return false;
}

// begin_graph makes all that a dispatch needs, bound and with fresh scratch memory.
static VkCommandBuffer begin_graph(buffer *sums) {
	DEVICE_FUNCTION(vkCmdInitializeGraphScratchMemoryAMDX);
	make_graph();
	make_scratch();
	*sums = host_buffer(256);
	VkDescriptorSet set = set_with(graph.set_layout, sums, NULL);
	VkCommandBuffer c = begin();
	vkCmdBindPipeline(c, BIND_POINT_GRAPH, graph.pipeline);
	vkCmdBindDescriptorSets(c, BIND_POINT_GRAPH, graph.layout, 0, 1, &set, 0, NULL);
	vkCmdInitializeGraphScratchMemoryAMDX(c, graph.pipeline, scratch, scratch_bytes);
	all_seen(c);
	return c;
}

static const wanted both[] = {{3, 8, 0}, {9, 4, 1}};

// check_sums: squares of 3 to 10, cubes of 9 to 12, each so many times.
static void check_sums(const buffer *sums, uint32_t times) {
	for (uint32_t x = 0; x < 64; x++) {
		uint32_t want = (x >= 3 && x < 11 ? x * x : 0) + (x >= 9 && x < 13 ? x * x * x : 0);
		same("sum", x, sums->u32[x], times * want);
	}
}

static void limits(void) {
	if (!has_graphs())
		return;
	enqueue_properties most = {.sType = ENQUEUE_PROPERTIES};
	VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &most};
	vkGetPhysicalDeviceProperties2(physical, &all);
	check(most.depth >= 32 && most.outputNodes >= 256 && most.payloadSize >= 32768 && most.payloadCount >= 256, "depth %u, output nodes %u, payloads of %u bytes, %u of them: less than the extension asks for", most.depth, most.outputNodes, most.payloadSize, most.payloadCount);
	check(most.workgroupCount[0] >= 65535 && most.workgroups >= (1u << 24) - 1, "workgroups up to %u, %u together", most.workgroupCount[0], most.workgroups);
}

static void from_host(void) {
	if (!has_graphs())
		return;
	DEVICE_FUNCTION(vkCmdDispatchGraphAMDX);
	buffer sums;
	VkCommandBuffer c = begin_graph(&sums);
	graph_info info = {.nodeIndex = split_node, .payloadCount = 2, .payloads.hostAddress = both, .payloadStride = sizeof both[0]};
	graph_count_info infos = {.count = 1, .infos.hostAddress = &info, .stride = sizeof info};
	vkCmdDispatchGraphAMDX(c, scratch, scratch_bytes, &infos);
	finish(c);
	check_sums(&sums, 1);
}

// Two graphs that nothing keeps apart, each with sums and scratch memory of its own.
static void two_graphs(void) {
	if (!has_graphs())
		return;
	DEVICE_FUNCTION(vkCmdDispatchGraphAMDX);
	DEVICE_FUNCTION(vkCmdInitializeGraphScratchMemoryAMDX);
	buffer sums[2];
	VkCommandBuffer c = begin_graph(sums);
	graph_info info = {.nodeIndex = split_node, .payloadCount = 2, .payloads.hostAddress = both, .payloadStride = sizeof both[0]};
	graph_count_info infos = {.count = 1, .infos.hostAddress = &info, .stride = sizeof info};
	VkDeviceAddress first = scratch;
	VkDeviceSize bytes = scratch_bytes;
	make_graph();
	make_scratch();
	vkCmdInitializeGraphScratchMemoryAMDX(c, graph.pipeline, scratch, scratch_bytes);
	all_seen(c);
	vkCmdDispatchGraphAMDX(c, first, bytes, &infos);
	sums[1] = host_buffer(256);
	VkDescriptorSet set = set_with(graph.set_layout, sums + 1, NULL);
	vkCmdBindPipeline(c, BIND_POINT_GRAPH, graph.pipeline);
	vkCmdBindDescriptorSets(c, BIND_POINT_GRAPH, graph.layout, 0, 1, &set, 0, NULL);
	info.nodeIndex = split_node;
	vkCmdDispatchGraphAMDX(c, scratch, scratch_bytes, &infos);
	finish(c);
	check_sums(sums, 1);
	check_sums(sums + 1, 1);
}

static uint32_t index_of(const char *name, uint32_t index) {
	DEVICE_FUNCTION(vkGetExecutionGraphPipelineNodeIndexAMDX);
	node_info node = {NODE, NULL, name, index};
	uint32_t found = ~0u;
	must(vkGetExecutionGraphPipelineNodeIndexAMDX(device, graph.pipeline, &node, &found));
	return found;
}

// With a stride of 0 all payloads are the first one; a dispatch may begin at several nodes, and at one several times; one of no payloads does nothing.
static void several_nodes(void) {
	if (!has_graphs())
		return;
	DEVICE_FUNCTION(vkCmdDispatchGraphAMDX);
	buffer sums;
	VkCommandBuffer c = begin_graph(&sums);
	const uint32_t numbers[] = {20, 21, 22};
	graph_info list[] = {
	    {.nodeIndex = split_node, .payloadCount = 3, .payloads.hostAddress = both, .payloadStride = 0},
	    {.nodeIndex = index_of("square", 0), .payloadCount = 3, .payloads.hostAddress = numbers, .payloadStride = 4},
	    {.nodeIndex = index_of("square", 1), .payloadCount = 2, .payloads.hostAddress = numbers, .payloadStride = 8},
	    {.nodeIndex = index_of("square", 0), .payloadCount = 0, .payloads.hostAddress = numbers, .payloadStride = 4},
	    {.nodeIndex = index_of("square", 0), .payloadCount = 5, .payloads.hostAddress = numbers + 2, .payloadStride = 0},
	};
	graph_count_info infos = {.count = COUNT(list), .infos.hostAddress = list, .stride = sizeof list[0]};
	vkCmdDispatchGraphAMDX(c, scratch, scratch_bytes, &infos);
	infos.count = 0;
	vkCmdDispatchGraphAMDX(c, scratch, scratch_bytes, &infos);
	finish(c);
	for (uint32_t x = 0; x < 64; x++) {
		uint32_t want = x >= 3 && x < 11 ? 3 * x * x : 0;
		if (x >= 20 && x < 23)
			want = x * x * (x == 22 ? 6 : 1) + (x != 21 ? x * x * x : 0);
		same("sum", x, sums.u32[x], want);
	}
}

// Dispatches follow each other in a command buffer, with scratch memory that is made ready again or used as it was left; infos may be further
// apart than they are large; and what they begin with may be gone when the commands run.
static void several_dispatches(void) {
	if (!has_graphs())
		return;
	DEVICE_FUNCTION(vkCmdDispatchGraphAMDX);
	DEVICE_FUNCTION(vkCmdInitializeGraphScratchMemoryAMDX);
	buffer sums;
	VkCommandBuffer c = begin_graph(&sums);
	for (int i = 0; i < 4; i++) {
		struct {
			graph_info info;
			uint8_t apart[24];
		} list[2];
		wanted given[2] = {both[0], both[1]};
		memset(list, 0xee, sizeof list);
		for (int k = 0; k < 2; k++)
			list[k].info = (graph_info){.nodeIndex = split_node, .payloadCount = 1, .payloads.hostAddress = given + k, .payloadStride = sizeof given[0]};
		graph_count_info infos = {.count = 2, .infos.hostAddress = list, .stride = sizeof list[0]};
		if (i % 2)
			vkCmdInitializeGraphScratchMemoryAMDX(c, graph.pipeline, scratch, scratch_bytes);
		vkCmdDispatchGraphAMDX(c, scratch, scratch_bytes, &infos);
		all_seen(c);
		memset(given, 0xff, sizeof given);
		memset(list, 0xff, sizeof list);
	}
	finish(c);
	check_sums(&sums, 4);
}

// A graph may be linked of libraries, one a node, and of a stage of its own; a cache that has it makes it again.
static void linked(void) {
	if (!has_graphs())
		return;
	DEVICE_FUNCTION(vkCreateExecutionGraphPipelinesAMDX);
	DEVICE_FUNCTION(vkCmdDispatchGraphAMDX);
	buffer sums;
	VkCommandBuffer c = begin_graph(&sums);
	node_info nodes[] = {{NODE, NULL, "split", 0}, {NODE, NULL, "square", 0}, {NODE, NULL, "square", 1}};
	const char *entries[] = {"split", "square", "cube"};
	VkPipeline libraries[2];
	for (int i = 0; i < 2; i++) {
		VkPipelineShaderStageCreateInfo one = stage(entries[i], nodes + i);
		graph_pipeline_info info = {.sType = GRAPH_PIPELINE, .flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR, .stageCount = 1, .pStages = &one, .layout = graph.layout};
		must(vkCreateExecutionGraphPipelinesAMDX(device, VK_NULL_HANDLE, 1, &info, NULL, libraries + i));
		KEEP(PIPELINE, libraries[i]);
	}
	VkPipelineCache cache;
	must(vkCreatePipelineCache(device, &(VkPipelineCacheCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO}, NULL, &cache));
	KEEP(CACHE, cache);
	VkPipelineLibraryCreateInfoKHR of = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR, .libraryCount = 2, .pLibraries = libraries};
	VkPipelineShaderStageCreateInfo cube = stage(entries[2], nodes + 2);
	for (int i = 0; i < 2; i++) {
		VkPipelineCreationFeedback whole = {0}, part = {0};
		VkPipelineCreationFeedbackCreateInfo wants = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO, .pPipelineCreationFeedback = &whole, .pipelineStageCreationFeedbackCount = 1, .pPipelineStageCreationFeedbacks = &part};
		graph_pipeline_info info = {.sType = GRAPH_PIPELINE, .pNext = &wants, .stageCount = 1, .pStages = &cube, .pLibraryInfo = &of, .layout = graph.layout};
		must(vkCreateExecutionGraphPipelinesAMDX(device, cache, 1, &info, NULL, &graph.pipeline));
		KEEP(PIPELINE, graph.pipeline);
		check(!(whole.flags & VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT) == !i, "feedback %#x of graph %d", whole.flags, i);
		split_node = index_of("split", 0);
		graph_info first = {.nodeIndex = split_node, .payloadCount = 2, .payloads.hostAddress = both, .payloadStride = sizeof both[0]};
		graph_count_info infos = {.count = 1, .infos.hostAddress = &first, .stride = sizeof first};
		vkCmdBindPipeline(c, BIND_POINT_GRAPH, graph.pipeline);
		vkCmdDispatchGraphAMDX(c, scratch, scratch_bytes, &infos);
		all_seen(c);
	}
	finish(c);
	check_sums(&sums, 2);
}

// Payloads and infos in the device's memory, one info a payload.
static void device_memory(buffer *memory) {
	*memory = host_buffer(512);
	memcpy(memory->u8 + 256, both, sizeof both);
	graph_info *infos = memory->bytes;
	for (uint32_t i = 0; i < 2; i++)
		infos[i] = (graph_info){.nodeIndex = split_node, .payloadCount = 1, .payloads.deviceAddress = memory->address + 256 + i * sizeof both[0], .payloadStride = sizeof both[0]};
	graph_count_info *count = (void *)(memory->u8 + 384);
	*count = (graph_count_info){.count = 2, .infos.deviceAddress = memory->address, .stride = sizeof infos[0]};
}

static void indirect(void) {
	if (!has_graphs())
		return;
	DEVICE_FUNCTION(vkCmdDispatchGraphIndirectAMDX);
	buffer sums, memory;
	VkCommandBuffer c = begin_graph(&sums);
	device_memory(&memory);
	graph_count_info infos = {.count = 2, .infos.deviceAddress = memory.address, .stride = sizeof(graph_info)};
	vkCmdDispatchGraphIndirectAMDX(c, scratch, scratch_bytes, &infos);
	finish(c);
	check_sums(&sums, 1);
}

static void indirect_count(void) {
	if (!has_graphs())
		return;
	DEVICE_FUNCTION(vkCmdDispatchGraphIndirectCountAMDX);
	buffer sums, memory;
	VkCommandBuffer c = begin_graph(&sums);
	device_memory(&memory);
	for (int i = 0; i < 3; i++) {
		vkCmdDispatchGraphIndirectCountAMDX(c, scratch, scratch_bytes, memory.address + 384);
		all_seen(c);
	}
	finish(c);
	check_sums(&sums, 3);
}

// A node enqueues itself as deep as it may, and one with empty records; two dispatches have different push constants, an address among them.
static void recursion(void) {
	if (!has_graphs() || !features12.bufferDeviceAddress)
		return;
	DEVICE_FUNCTION(vkCreateExecutionGraphPipelinesAMDX);
	DEVICE_FUNCTION(vkCmdInitializeGraphScratchMemoryAMDX);
	DEVICE_FUNCTION(vkCmdDispatchGraphAMDX);
	VkPipelineShaderStageCreateInfo stages[] = {stage_of("recursion", "grow", NULL), stage_of("recursion", "tick", NULL)};
	graph.layout = pipeline_layout(0, NULL, 16);
	graph_pipeline_info info = {.sType = GRAPH_PIPELINE, .stageCount = 2, .pStages = stages, .layout = graph.layout};
	must(vkCreateExecutionGraphPipelinesAMDX(device, VK_NULL_HANDLE, 1, &info, NULL, &graph.pipeline));
	KEEP(PIPELINE, graph.pipeline);
	make_scratch();
	buffer tables[] = {host_buffer(128), host_buffer(128)};
	const struct {
		uint32_t depth, slot, value;
	} given[] = {{3, 4, 1}, {1, 12, 10}};
	graph_info first = {.nodeIndex = index_of("grow", 0), .payloadCount = 2, .payloads.hostAddress = given, .payloadStride = sizeof given[0]};
	graph_count_info infos = {.count = 1, .infos.hostAddress = &first, .stride = sizeof first};
	VkCommandBuffer c = begin();
	vkCmdBindPipeline(c, BIND_POINT_GRAPH, graph.pipeline);
	vkCmdInitializeGraphScratchMemoryAMDX(c, graph.pipeline, scratch, scratch_bytes);
	for (uint32_t i = 0; i < 2; i++) {
		struct {
			VkDeviceAddress table;
			uint32_t factor, unused;
		} local = {tables[i].address, i ? 5 : 1, 0};
		all_seen(c);
		push(c, graph, &local, sizeof local);
		vkCmdDispatchGraphAMDX(c, scratch, scratch_bytes, &infos);
	}
	finish(c);
	// Of depth 3: 1; then 2 and 3; then 3, 4, 4 and 5; then eight, 1.5 more on average. There are 15 and 3 records.
	const uint32_t want[16] = {[0] = 18, [7] = 1, [6] = 5, [5] = 16, [4] = 44, [13] = 10, [12] = 23};
	for (uint32_t i = 0; i < 32; i++)
		same("word", i, tables[i / 16].u32[i % 16], want[i % 16] * (i < 16 ? 1 : 5));
}

// A graph as deep as the device promises is made, and one a level deeper is refused.
static void deepest(void) {
	if (!has_graphs() || !features12.bufferDeviceAddress)
		return;
	DEVICE_FUNCTION(vkCreateExecutionGraphPipelinesAMDX);
	enqueue_properties most = {.sType = ENQUEUE_PROPERTIES};
	VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &most};
	vkGetPhysicalDeviceProperties2(physical, &all);
	for (uint32_t more = 0; more < 2; more++) {
		const uint32_t again = most.depth - 2 + more; // behind the first one, and before the one with empty records
		const VkSpecializationMapEntry place = {0, 0, sizeof again};
		const VkSpecializationInfo constants = {1, &place, sizeof again, &again};
		VkPipelineShaderStageCreateInfo stages[] = {stage_of("recursion", "grow", NULL), stage_of("recursion", "tick", NULL)};
		stages[0].pSpecializationInfo = &constants;
		graph_pipeline_info info = {.sType = GRAPH_PIPELINE, .stageCount = 2, .pStages = stages, .layout = pipeline_layout(0, NULL, 16)};
		VkPipeline made = VK_NULL_HANDLE;
		quiet = more;
		VkResult result = vkCreateExecutionGraphPipelinesAMDX(device, VK_NULL_HANDLE, 1, &info, NULL, &made);
		quiet = false;
		check((result == VK_SUCCESS) == !more, "depth %u of at most %u: %d", again + 2, most.depth, result);
		if (made)
			KEEP(PIPELINE, made);
	}
}

static void node_indexes(void) {
	if (!has_graphs())
		return;
	DEVICE_FUNCTION(vkGetExecutionGraphPipelineNodeIndexAMDX);
	make_graph();
	uint32_t first = 0, again = 1, cube = 0;
	node_info known = {NODE, NULL, "split", 0}, second = {NODE, NULL, "square", 1};
	gives(VK_SUCCESS, vkGetExecutionGraphPipelineNodeIndexAMDX(device, graph.pipeline, &known, &first));
	gives(VK_SUCCESS, vkGetExecutionGraphPipelineNodeIndexAMDX(device, graph.pipeline, &known, &again));
	gives(VK_SUCCESS, vkGetExecutionGraphPipelineNodeIndexAMDX(device, graph.pipeline, &second, &cube));
	same("index", 0, again, first);
	check(cube != first, "two nodes have the index %u", cube);
}

int main(int count, char **words) {
	start(count, words, VK_AMDX_ENQUEUE_NAME, VK_KHR_MAINTENANCE_5_NAME, "VK_KHR_pipeline_library", NULL);
	TEST(limits);
	TEST(from_host);
	TEST(several_nodes);
	TEST(several_dispatches);
	TEST(two_graphs);
	TEST(linked);
	TEST(indirect);
	TEST(indirect_count);
	TEST(recursion);
	TEST(deepest);
	TEST(node_indexes);
	return stop();
}
