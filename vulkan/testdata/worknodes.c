// Runs one execution graph that a text describes, and writes what its buffers hold then:
//
//	worknodes FOLDER MODULE TEXT OUT host|memory
//
// with the payloads of the host and all scratch memory that helps, or all in the device's memory and the least scratch memory. A line of the text is
// "node ENTRY NAME INDEX" ("-" and "own": as the module says), "buffer BINDING BYTES", or "payloads NODE COUNT STRIDE BYTES", after which come the bytes.
#include "graphs.h"

enum { MOST = 32, PAYLOAD_BYTES = 1 << 16 };

static struct {
	char entry[64], name[64];
	node_info info;
} nodes[MOST];
static struct {
	uint32_t binding;
	buffer data;
} buffers[MOST];
static struct {
	char node[64];
	uint32_t count, bytes;
	uint64_t stride;
	uint8_t data[PAYLOAD_BYTES];
} inputs[MOST];
static uint32_t node_count, buffer_count, input_count;

static FILE *opened(const char *path, const char *mode) {
	FILE *f = fopen(path, mode);
	if (!f) {
		printf("FAIL %s: %s can't be opened\n", test_name, path);
		exit(1);
	}
	return f;
}

static void read_node(const char *line) {
	char index[16];
	node_info *i = &nodes[node_count].info;
	if (sscanf(line, "node %63s %63s %15s", nodes[node_count].entry, nodes[node_count].name, index) != 3)
		fail("%s: want the entry, name and index of a node", line);
	*i = (node_info){NODE, NULL, strcmp(nodes[node_count].name, "-") ? nodes[node_count].name : NULL, strcmp(index, "own") ? (uint32_t)atoi(index) : UINT32_MAX};
	node_count++;
}

static void read_input(FILE *f, const char *line) {
	if (sscanf(line, "payloads %63s %u %" SCNu64 " %u", inputs[input_count].node, &inputs[input_count].count, &inputs[input_count].stride, &inputs[input_count].bytes) != 4 || inputs[input_count].bytes > PAYLOAD_BYTES)
		fail("%s: want the node, count, stride and bytes of payloads", line);
	else if (fread(inputs[input_count].data, 1, inputs[input_count].bytes, f) != inputs[input_count].bytes)
		fail("%s: the payloads end early", line);
	input_count++;
}

static void read_text(const char *path) {
	FILE *f = opened(path, "rb");
	char line[256];
	while (fgets(line, sizeof line, f) && node_count < MOST && buffer_count < MOST && input_count < MOST) {
		uint64_t bytes;
		if (!strncmp(line, "node ", 5))
			read_node(line);
		else if (sscanf(line, "buffer %u %" SCNu64, &buffers[buffer_count].binding, &bytes) == 2)
			buffers[buffer_count++].data = host_buffer(bytes);
		else
			read_input(f, line);
	}
	fclose(f);
}

static VkShaderModule module_at(const char *path) {
	static uint32_t words[1 << 16];
	FILE *f = opened(path, "rb");
	VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = fread(words, 1, sizeof words, f), .pCode = words};
	fclose(f);
	VkShaderModule m;
	must(vkCreateShaderModule(device, &info, NULL, &m));
	KEEP(MODULE, m);
	return m;
}

static kernel graph_of(VkShaderModule m) {
	DEVICE_FUNCTION(vkCreateExecutionGraphPipelinesAMDX);
	VkPipelineShaderStageCreateInfo stages[MOST];
	for (uint32_t i = 0; i < node_count; i++)
		stages[i] = (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .pNext = &nodes[i].info, .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = m, .pName = nodes[i].entry};
	VkDescriptorSetLayoutBinding bindings[MOST];
	for (uint32_t i = 0; i < buffer_count; i++)
		bindings[i] = (VkDescriptorSetLayoutBinding){.binding = buffers[i].binding, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .descriptorCount = 1, .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
	kernel k = {.set_layout = set_layout_of(&(VkDescriptorSetLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = buffer_count, .pBindings = bindings})};
	k.layout = pipeline_layout(1, &k.set_layout, 0);
	graph_pipeline_info info = {.sType = GRAPH_PIPELINE, .stageCount = node_count, .pStages = stages, .layout = k.layout};
	must(vkCreateExecutionGraphPipelinesAMDX(device, VK_NULL_HANDLE, 1, &info, NULL, &k.pipeline));
	KEEP(PIPELINE, k.pipeline);
	return k;
}

static uint32_t index_of(kernel k, const char *name) {
	DEVICE_FUNCTION(vkGetExecutionGraphPipelineNodeIndexAMDX);
	node_info node = {NODE, NULL, name, 0};
	uint32_t found = 0;
	must(vkGetExecutionGraphPipelineNodeIndexAMDX(device, k.pipeline, &node, &found));
	return found;
}

// dispatch records the graph with all inputs; from_memory: the infos and payloads are those of a buffer.
static void dispatch(VkCommandBuffer c, kernel k, VkDeviceAddress scratch, VkDeviceSize bytes, bool from_memory) {
	DEVICE_FUNCTION(vkCmdDispatchGraphAMDX);
	DEVICE_FUNCTION(vkCmdDispatchGraphIndirectAMDX);
	graph_info list[MOST];
	buffer memory = host_buffer(PAYLOAD_BYTES * (1 + (VkDeviceSize)input_count));
	for (uint32_t i = 0; i < input_count; i++) {
		VkDeviceSize at = PAYLOAD_BYTES * (1 + (VkDeviceSize)i);
		list[i] = (graph_info){.nodeIndex = index_of(k, inputs[i].node), .payloadCount = inputs[i].count, .payloadStride = inputs[i].stride};
		if (from_memory)
			list[i].payloads.deviceAddress = memory.address + at;
		else
			list[i].payloads.hostAddress = inputs[i].data;
		memcpy(memory.u8 + at, inputs[i].data, inputs[i].bytes);
	}
	memcpy(memory.bytes, list, input_count * sizeof list[0]);
	graph_count_info infos = {.count = input_count, .infos.hostAddress = list, .stride = sizeof list[0]};
	if (!from_memory) {
		vkCmdDispatchGraphAMDX(c, scratch, bytes, &infos);
		return;
	}
	infos.infos.deviceAddress = memory.address;
	vkCmdDispatchGraphIndirectAMDX(c, scratch, bytes, &infos);
}

int main(int count, char **words) {
	if (count < 6)
		return 2;
	start(2, words, VK_AMDX_ENQUEUE_NAME, VK_KHR_MAINTENANCE_5_NAME, "VK_KHR_pipeline_library", NULL);
	test_name = words[3];
	read_text(words[3]);
	kernel k = graph_of(module_at(words[2]));
	bool from_memory = !strcmp(words[5], "memory");
	DEVICE_FUNCTION(vkGetExecutionGraphPipelineScratchSizeAMDX);
	DEVICE_FUNCTION(vkCmdInitializeGraphScratchMemoryAMDX);
	scratch_size size = {.sType = SCRATCH_SIZE};
	must(vkGetExecutionGraphPipelineScratchSizeAMDX(device, k.pipeline, &size));
	VkDeviceSize bytes = from_memory ? size.minSize : size.maxSize;
	buffer scratch = buffer_for(SCRATCH_USAGE | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT, bytes ? bytes : 256, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
	VkDescriptorSet set = set_from(descriptor_pool(1, 0), k.set_layout);
	for (uint32_t i = 0; i < buffer_count; i++)
		write_buffer(set, buffers[i].binding, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers[i].data.buffer, 0, VK_WHOLE_SIZE);
	VkCommandBuffer c = begin();
	vkCmdBindPipeline(c, BIND_POINT_GRAPH, k.pipeline);
	vkCmdBindDescriptorSets(c, BIND_POINT_GRAPH, k.layout, 0, 1, &set, 0, NULL);
	vkCmdInitializeGraphScratchMemoryAMDX(c, k.pipeline, scratch.address, bytes);
	all_seen(c);
	dispatch(c, k, scratch.address, bytes, from_memory);
	finish(c);
	FILE *f = opened(words[4], "wb");
	for (uint32_t i = 0; i < buffer_count; i++)
		fwrite(buffers[i].data.bytes, 1, buffers[i].data.size, f);
	fclose(f);
	if (!test_faults)
		printf("ok %s\n", test_name);
	faults = test_faults;
	free_made();
	return stop();
}
