// Descriptors: several sets, dynamic offsets, update templates, push
// descriptors, inline uniform blocks, arrays, indexing, copies.
#include "vk.h"

static void several_sets(void) {
	VkDescriptorSetLayout layouts[] = {set_layout("b", 0), set_layout("ub", 0), set_layout("", 0), set_layout("b", 0)};
	kernel k = {.layout = pipeline_layout(4, layouts, 0)};
	VkComputePipelineCreateInfo info = pipeline_info("sets", k.layout, NULL);
	k.pipeline = pipeline_of(&info);
	buffer a = words_from(0, 64), b = words_from(6, 4), c = words_from(1, 64), d = host_buffer(256);
	VkDescriptorSet sets[] = {set_with(layouts[0], &a, NULL), set_from(descriptor_pool(1, 0), layouts[1]), set_with(layouts[3], &d, NULL)};
	write_buffer(sets[1], 0, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, b.buffer, 0, 16);
	write_buffer(sets[1], 1, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, c.buffer, 0, VK_WHOLE_SIZE);
	VkCommandBuffer cmd = begin();
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, k.pipeline);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, k.layout, 0, 2, sets, 0, NULL);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, k.layout, 3, 1, sets + 2, 0, NULL);
	vkCmdDispatch(cmd, 4, 1, 1);
	finish(cmd);
	for (uint32_t i = 0; i < 64; i++)
		same("word", i, d.u32[i], i + 7000 + 100000 * (1 + i) + 640000000u);
}

// A range smaller than the buffer: the shader's length() is that of the range.
static void offset_and_range(void) {
	kernel k = kernel_of("add", "b", 8);
	buffer data = words_from(0, 1024);
	VkDeviceSize offset = 1024; // every minStorageBufferOffsetAlignment divides it
	VkDescriptorSet set = set_from(descriptor_pool(1, 0), k.set_layout);
	write_buffer(set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, data.buffer, offset, 100 * 4);
	uint32_t constants[] = {2, 7};
	run(k, set, constants, 8, 4);
	for (uint32_t i = 0; i < 1024; i++)
		same("word", i, data.u32[i], i >= 256 && i < 356 ? i * 2 + 7 : i);
}

static void dynamic_offsets(void) {
	kernel k = kernel_of("pair", "BB", 0);
	buffer a = words_from(0, 1024), b = host_buffer(4096);
	VkDescriptorSet set = set_from(descriptor_pool(1, 0), k.set_layout);
	write_buffer(set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, a.buffer, 256, 256);
	write_buffer(set, 1, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, b.buffer, 0, 256);
	VkCommandBuffer c = begin();
	vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, k.pipeline);
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t offsets[] = {512 * i, 256 * i};
		vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, k.layout, 0, 1, &set, 2, offsets);
		vkCmdDispatch(c, 1, 1, 1);
	}
	finish(c);
	for (uint32_t i = 0; i < 3 * 64; i++)
		same("word", i, b.u32[i], (64 + i % 64 + 128 * (i / 64)) * 2 + 1);
}

static VkDescriptorUpdateTemplate template_of(VkDescriptorUpdateTemplateType type, kernel k, size_t stride) {
	VkDescriptorUpdateTemplateEntry entry = {.descriptorCount = 1, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .stride = stride};
	VkDescriptorUpdateTemplateEntry entries[] = {entry, entry};
	entries[0].offset = stride, entries[1].dstBinding = 1; // the data has them the other way round
	VkDescriptorUpdateTemplateCreateInfo info = {
	    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
	    .descriptorUpdateEntryCount = 2,
	    .pDescriptorUpdateEntries = entries,
	    .templateType = type,
	    .descriptorSetLayout = k.set_layout,
	    .pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE,
	    .pipelineLayout = k.layout,
	};
	VkDescriptorUpdateTemplate made_template;
	must(vkCreateDescriptorUpdateTemplate(device, &info, NULL, &made_template));
	KEEP(TEMPLATE, made_template);
	return made_template;
}

static void check_pair(const buffer *b) {
	for (uint32_t i = 0; i < 128; i++)
		same("word", i, b->u32[i], 2 * i + 1);
}

static void update_template(void) {
	kernel k = kernel_of("pair", "bb", 0);
	buffer a = words_from(0, 128), b = host_buffer(512);
	struct {
		VkDescriptorBufferInfo info;
		uint64_t between;
	} data[] = {{.info = {b.buffer, 0, VK_WHOLE_SIZE}}, {.info = {a.buffer, 0, VK_WHOLE_SIZE}}};
	VkDescriptorSet set = set_from(descriptor_pool(1, 0), k.set_layout);
	vkUpdateDescriptorSetWithTemplate(device, set, template_of(VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET, k, sizeof data[0]), data);
	run(k, set, NULL, 0, 2);
	check_pair(&b);
}

static kernel pushed_pair(void) {
	kernel k = {.set_layout = set_layout("bb", VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR)};
	k.layout = pipeline_layout(1, &k.set_layout, 0);
	VkComputePipelineCreateInfo info = pipeline_info("pair", k.layout, NULL);
	k.pipeline = pipeline_of(&info);
	return k;
}

// What is pushed holds for the dispatches that follow, whatever is pushed after them.
static void push_descriptors(void) {
	if (!has(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME))
		return skip(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME);
	DEVICE_FUNCTION(vkCmdPushDescriptorSetKHR);
	kernel k = pushed_pair();
	buffer a = words_from(0, 128), b = host_buffer(512), other = host_buffer(512);
	VkDescriptorBufferInfo infos[] = {{a.buffer, 0, VK_WHOLE_SIZE}, {b.buffer, 0, VK_WHOLE_SIZE}};
	VkWriteDescriptorSet writes[2] = {0};
	for (uint32_t i = 0; i < 2; i++)
		writes[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstBinding = i, .descriptorCount = 1, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = infos + i};
	VkCommandBuffer c = begin();
	bind(c, k, VK_NULL_HANDLE);
	vkCmdPushDescriptorSetKHR(c, VK_PIPELINE_BIND_POINT_COMPUTE, k.layout, 0, 2, writes);
	vkCmdDispatch(c, 2, 1, 1);
	infos[1].buffer = other.buffer; // the first stays as it is
	vkCmdPushDescriptorSetKHR(c, VK_PIPELINE_BIND_POINT_COMPUTE, k.layout, 0, 1, writes + 1);
	vkCmdDispatch(c, 2, 1, 1);
	finish(c);
	check_pair(&b);
	check_pair(&other);
}

static void push_with_template(void) {
	if (!has(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME))
		return skip(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME);
	DEVICE_FUNCTION(vkCmdPushDescriptorSetWithTemplateKHR);
	kernel k = pushed_pair();
	buffer a = words_from(0, 128), b = host_buffer(512);
	VkDescriptorBufferInfo infos[] = {{b.buffer, 0, VK_WHOLE_SIZE}, {a.buffer, 0, VK_WHOLE_SIZE}};
	VkCommandBuffer c = begin();
	bind(c, k, VK_NULL_HANDLE);
	vkCmdPushDescriptorSetWithTemplateKHR(c, template_of(VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR, k, sizeof infos[0]), k.layout, 0, infos);
	vkCmdDispatch(c, 2, 1, 1);
	finish(c);
	check_pair(&b);
}

static const uint32_t block_words[] = {5, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0x42280000 /* 42.0 */, 0, 0, 0, 77, 0, 0, 0};

static void check_block(const buffer *out) {
	same("sum of the first", 0, out->u32[0], 11);
	same("third of the array", 1, out->u32[1], 42);
	same("last", 2, out->u32[2], 77);
}

static void uniform_buffer(void) {
	kernel k = kernel_of("block", "ub", 0);
	buffer block = host_buffer(sizeof block_words), out = host_buffer(12);
	memcpy(block.bytes, block_words, sizeof block_words);
	VkDescriptorSet set = set_from(descriptor_pool(1, 0), k.set_layout);
	write_buffer(set, 0, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, block.buffer, 0, VK_WHOLE_SIZE);
	write_buffer(set, 1, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out.buffer, 0, VK_WHOLE_SIZE);
	run(k, set, NULL, 0, 1);
	check_block(&out);
}

static void write_inline(VkDescriptorSet set, uint32_t at, const void *bytes, uint32_t size) {
	VkWriteDescriptorSetInlineUniformBlock block = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK, .dataSize = size, .pData = bytes};
	VkWriteDescriptorSet write = {
	    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
	    .pNext = &block,
	    .dstSet = set,
	    .dstArrayElement = at,
	    .descriptorCount = size,
	    .descriptorType = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK,
	};
	vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
}

static void inline_uniform_block(void) {
	if (!features13.inlineUniformBlock)
		return skip("inlineUniformBlock");
	VkDescriptorSetLayoutBinding bindings[] = {
	    {.binding = 0, .descriptorType = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, .descriptorCount = sizeof block_words, .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT},
	    {.binding = 1, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .descriptorCount = 1, .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT},
	};
	kernel k = {.set_layout = set_layout_of(&(VkDescriptorSetLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 2, .pBindings = bindings})};
	k.layout = pipeline_layout(1, &k.set_layout, 0);
	VkComputePipelineCreateInfo info = pipeline_info("block", k.layout, NULL);
	k.pipeline = pipeline_of(&info);
	buffer out = host_buffer(12);
	VkDescriptorSet set = set_from(descriptor_pool(1, 0), k.set_layout);
	write_inline(set, 0, block_words, 16); // in two parts
	write_inline(set, 16, block_words + 4, sizeof block_words - 16);
	write_buffer(set, 1, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out.buffer, 0, VK_WHOLE_SIZE);
	run(k, set, NULL, 0, 1);
	check_block(&out);
}

static kernel array_kernel(const char *name, uint32_t array_binding, uint32_t length, const VkDescriptorBindingFlags *flags, uint32_t push_bytes) {
	VkDescriptorSetLayoutBinding bindings[2];
	for (uint32_t i = 0; i < 2; i++)
		bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .descriptorCount = i == array_binding ? length : 1, .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
	VkDescriptorSetLayoutBindingFlagsCreateInfo of_bindings = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO, .bindingCount = 2, .pBindingFlags = flags};
	VkDescriptorSetLayoutCreateInfo of_set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .pNext = flags ? &of_bindings : NULL, .bindingCount = 2, .pBindings = bindings};
	if (flags && (flags[array_binding] & VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT))
		of_set.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT;
	kernel k = {.set_layout = set_layout_of(&of_set)};
	k.layout = pipeline_layout(1, &k.set_layout, push_bytes);
	VkComputePipelineCreateInfo info = pipeline_info(name, k.layout, NULL);
	k.pipeline = pipeline_of(&info);
	return k;
}

static void arrays(void) {
	if (!features.features.shaderStorageBufferArrayDynamicIndexing)
		return skip("shaderStorageBufferArrayDynamicIndexing");
	kernel k = array_kernel("array", 0, 4, NULL, 4);
	buffer out = host_buffer(16);
	VkDescriptorSet set = set_from(descriptor_pool(1, 0), k.set_layout);
	for (uint32_t i = 0; i < 4; i++)
		write_buffer(set, 0, i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, words_from(100 * i, 4).buffer, 0, VK_WHOLE_SIZE);
	write_buffer(set, 1, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out.buffer, 0, VK_WHOLE_SIZE);
	for (uint32_t which = 0; which < 4; which++) {
		run(k, set, &which, 4, 1);
		for (uint32_t i = 0; i < 4; i++)
			same("word", i, out.u32[i], 100 * which + i);
	}
}

// A write that runs over the end of a binding goes on in the next one.
static void consecutive_bindings(void) {
	kernel k = kernel_of("pair", "bb", 0);
	buffer a = words_from(0, 128), b = host_buffer(512);
	VkDescriptorBufferInfo infos[] = {{a.buffer, 0, VK_WHOLE_SIZE}, {b.buffer, 0, VK_WHOLE_SIZE}};
	VkDescriptorSet set = set_from(descriptor_pool(1, 0), k.set_layout);
	VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .descriptorCount = 2, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = infos};
	vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
	run(k, set, NULL, 0, 2);
	check_pair(&b);
}

static void copies(void) {
	kernel k = kernel_of("pair", "bb", 0);
	buffer a = words_from(0, 128), b = host_buffer(512);
	VkDescriptorPool from = descriptor_pool(2, 0);
	VkDescriptorSet first = set_with(k.set_layout, &a, &b, NULL), second = set_from(from, k.set_layout);
	VkCopyDescriptorSet copy[2];
	for (uint32_t i = 0; i < 2; i++)
		copy[i] = (VkCopyDescriptorSet){.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, .srcSet = first, .srcBinding = i, .dstSet = second, .dstBinding = i, .descriptorCount = 1};
	vkUpdateDescriptorSets(device, 0, NULL, 2, copy);
	run(k, second, NULL, 0, 2);
	check_pair(&b);
}

// An array of a length that the set says, with holes, written after the command buffer was recorded.
static void indexing(void) {
	if (!features12.shaderStorageBufferArrayNonUniformIndexing || !features12.runtimeDescriptorArray || !features12.descriptorBindingVariableDescriptorCount ||
	    !features12.descriptorBindingPartiallyBound || !features12.descriptorBindingStorageBufferUpdateAfterBind)
		return skip("descriptor indexing of storage buffers");
	VkDescriptorBindingFlags flags[] = {0, VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT | VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT | VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT};
	kernel k = array_kernel("runtime_array", 1, 500, flags, 0);
	VkDescriptorPool from = descriptor_pool(1, VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT);
	uint32_t length = 8;
	VkDescriptorSetVariableDescriptorCountAllocateInfo lengths = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO, .descriptorSetCount = 1, .pDescriptorCounts = &length};
	VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .pNext = &lengths, .descriptorPool = from, .descriptorSetCount = 1, .pSetLayouts = &k.set_layout};
	VkDescriptorSet set;
	must(vkAllocateDescriptorSets(device, &info, &set));
	buffer out = host_buffer(64);
	write_buffer(set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out.buffer, 0, VK_WHOLE_SIZE);
	VkCommandBuffer c = begin();
	bind(c, k, set);
	vkCmdDispatch(c, 1, 1, 1);
	for (uint32_t i = 0; i < 7; i++) // the eighth stays empty
		write_buffer(set, 1, i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, words_from(1000 * i, 16).buffer, 0, VK_WHOLE_SIZE);
	finish(c);
	for (uint32_t i = 0; i < 16; i++)
		same("word", i, out.u32[i], i * 3 % 7 * 1000 + i);
}

static void pools(void) {
	VkDescriptorSetLayout layout = set_layout("bb", 0);
	VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4};
	VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT, .maxSets = 2, .poolSizeCount = 1, .pPoolSizes = &size};
	VkDescriptorPool p;
	must(vkCreateDescriptorPool(device, &info, NULL, &p));
	KEEP(DESCRIPTOR_POOL, p);
	VkDescriptorSet sets[2] = {set_from(p, layout), set_from(p, layout)};
	VkDescriptorSetAllocateInfo one = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = p, .descriptorSetCount = 1, .pSetLayouts = &layout};
	VkDescriptorSet third = VK_NULL_HANDLE;
	VkResult result = vkAllocateDescriptorSets(device, &one, &third);
	// Since maintenance1 a device may have room for more than was asked for.
	check(result == VK_SUCCESS || result == VK_ERROR_OUT_OF_POOL_MEMORY, "a third set of a pool of two: %d, want VK_SUCCESS or VK_ERROR_OUT_OF_POOL_MEMORY", result);
	gives(VK_SUCCESS, vkFreeDescriptorSets(device, p, 1, sets));
	set_from(p, layout);
	gives(VK_SUCCESS, vkResetDescriptorPool(device, p, 0));
	set_from(p, layout);
}

// A pool that has sets left, but no descriptors for all of them, gives either all that are asked for or none, and has after that what it had.
static void scarce_pool(void) {
	VkDescriptorSetLayout layouts[] = {set_layout("bb", 0), set_layout("bb", 0), set_layout("bu", 0)};
	VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2}, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2}, {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1}};
	VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 3, .poolSizeCount = COUNT(sizes), .pPoolSizes = sizes};
	VkDescriptorPool p;
	must(vkCreateDescriptorPool(device, &info, NULL, &p));
	KEEP(DESCRIPTOR_POOL, p);
	VkDescriptorSetAllocateInfo three = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = p, .descriptorSetCount = 3, .pSetLayouts = layouts};
	for (int turn = 0; turn < 3; turn++) {
		VkDescriptorSet sets[3];
		VkResult result = vkAllocateDescriptorSets(device, &three, sets);
		check(result == VK_SUCCESS || result == VK_ERROR_OUT_OF_POOL_MEMORY, "three sets: %d, want VK_SUCCESS or VK_ERROR_OUT_OF_POOL_MEMORY", result);
		for (int i = 0; result && i < 3; i++)
			check(!sets[i], "set %d is there, though not all are", i);
		if (!result)
			gives(VK_SUCCESS, vkResetDescriptorPool(device, p, 0));
		set_from(p, layouts[0]);
		set_from(p, layouts[1]);
		gives(VK_SUCCESS, vkResetDescriptorPool(device, p, 0));
	}
}

static void layout_support(void) {
	VkDescriptorSetLayoutBinding binding = {.binding = 7, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .descriptorCount = 4, .stageFlags = VK_SHADER_STAGE_ALL};
	VkDescriptorSetLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
	VkDescriptorSetLayoutSupport support = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_SUPPORT};
	vkGetDescriptorSetLayoutSupport(device, &info, &support);
	check(support.supported, "a set of four storage buffers is not supported");
}

int main(int count, char **words) {
	start(count, words, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME, NULL);
	TEST(several_sets);
	TEST(offset_and_range);
	TEST(dynamic_offsets);
	TEST(update_template);
	TEST(push_descriptors);
	TEST(push_with_template);
	TEST(uniform_buffer);
	TEST(inline_uniform_block);
	TEST(arrays);
	TEST(consecutive_bindings);
	TEST(copies);
	TEST(indexing);
	TEST(pools);
	TEST(scarce_pool);
	TEST(layout_support);
	return stop();
}
