// Beginners' mistakes that do no harm by themselves: the driver says what is wrong. It refuses what has no meaning, by the result of a call, and does
// what has one, with a warning. Each mistake has the words that must be said, and the result of the last call that it makes.
#include "vk.h"

static kernel add;
static buffer data;
static VkDescriptorSet set;
static const uint32_t constants[] = {2, 1};

static char said[1 << 16];

static VKAPI_ATTR VkBool32 VKAPI_CALL hear(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
                                           const VkDebugUtilsMessengerCallbackDataEXT *message, void *user) {
	(void)severity, (void)types, (void)user;
	size_t n = strlen(said);
	snprintf(said + n, sizeof said - n, "%s\n", message->pMessage);
	return VK_FALSE;
}

static VkCommandBuffer prepared(void) {
	add = kernel_of("add", "b", 8);
	data = words_from(0, 256);
	set = set_with(add.set_layout, &data, NULL);
	return begin();
}

// ready has everything bound that a dispatch needs.
static VkCommandBuffer ready(void) {
	VkCommandBuffer c = prepared();
	bind(c, add, set);
	push(c, add, constants, 8);
	return c;
}

static void dispatch(VkCommandBuffer c) {
	bind(c, add, set);
	push(c, add, constants, 8);
	vkCmdDispatch(c, 4, 1, 1);
}

static VkResult submit(VkCommandBuffer c, VkFence fence) {
	VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c};
	return vkQueueSubmit(queue, 1, &info, fence);
}

// go ends, submits and waits, up to the first call that fails.
static VkResult go(VkCommandBuffer c) {
	VkResult result = vkEndCommandBuffer(c);
	if (result == VK_SUCCESS)
		result = submit(c, VK_NULL_HANDLE);
	return result == VK_SUCCESS ? vkQueueWaitIdle(queue) : result;
}

// Dispatches

static VkResult groups_beyond(void) {
	VkCommandBuffer c = ready();
	vkCmdDispatch(c, 1, 70000, 1);
	return go(c);
}
static VkResult groups_beyond_from_base(void) {
	VkCommandBuffer c = ready();
	vkCmdDispatchBase(c, 0, 65000, 0, 1, 1000, 1);
	return go(c);
}
static VkResult base_without_flag(void) {
	VkCommandBuffer c = ready();
	vkCmdDispatchBase(c, 1, 0, 0, 1, 1, 1);
	return go(c);
}
static VkResult indirect_unaligned(void) {
	VkCommandBuffer c = ready();
	vkCmdDispatchIndirect(c, data.buffer, 2);
	return go(c);
}
static VkResult indirect_usage(void) {
	VkCommandBuffer c = prepared();
	buffer sizes = buffer_for(VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, 64, host_memory);
	sizes.u32[0] = sizes.u32[1] = sizes.u32[2] = 1;
	bind(c, add, set);
	push(c, add, constants, 8);
	vkCmdDispatchIndirect(c, sizes.buffer, 0);
	return go(c);
}
static VkResult no_pipeline(void) {
	VkCommandBuffer c = prepared();
	vkCmdDispatch(c, 1, 1, 1);
	return go(c);
}
static VkResult no_push(void) {
	VkCommandBuffer c = prepared();
	bind(c, add, set);
	vkCmdDispatch(c, 1, 1, 1);
	return go(c);
}
static VkResult push_beyond_layout(void) {
	VkCommandBuffer c = prepared();
	uint32_t more[4] = {0};
	bind(c, add, set);
	push(c, add, more, 16);
	return go(c);
}
static VkResult push_unaligned(void) {
	VkCommandBuffer c = prepared();
	vkCmdPushConstants(c, add.layout, VK_SHADER_STAGE_COMPUTE_BIT, 2, 4, constants);
	return go(c);
}
// begun_in is a command buffer of a pool of its own, whose buffers are not reset one by one.
static VkCommandBuffer begun_in(uint32_t family) {
	VkCommandPoolCreateInfo of_pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = family};
	VkCommandPool other;
	must(vkCreateCommandPool(device, &of_pool, NULL, &other));
	KEEP(POOL, other);
	VkCommandBufferAllocateInfo of_buffer = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = other, .commandBufferCount = 1};
	VkCommandBuffer c;
	must(vkAllocateCommandBuffers(device, &of_buffer, &c));
	must(vkBeginCommandBuffer(c, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
	return c;
}
static VkResult queue_only_copies(void) {
	prepared();
	VkCommandBuffer c = begun_in(1);
	dispatch(c);
	return vkEndCommandBuffer(c);
}
static VkResult queue_of_another_family(void) {
	prepared();
	VkCommandBuffer c = begun_in(1);
	vkCmdFillBuffer(c, data.buffer, 0, 64, 1);
	return go(c);
}

// Layouts and descriptors

static VkResult pipeline_with(const char *letters, uint32_t push_bytes, VkShaderStageFlags stages) {
	VkDescriptorSetLayoutBinding bindings[4] = {0};
	uint32_t n = letters ? (uint32_t)strlen(letters) : 0;
	for (uint32_t i = 0; i < n; i++)
		bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i, .descriptorType = type_of(letters[i]), .descriptorCount = 1, .stageFlags = stages};
	VkDescriptorSetLayout l = set_layout_of(&(VkDescriptorSetLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = n, .pBindings = bindings});
	VkComputePipelineCreateInfo info = pipeline_info("add", pipeline_layout(letters != NULL, &l, push_bytes), NULL);
	VkPipeline p = VK_NULL_HANDLE;
	VkResult result = vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &p);
	check(!p == (result != VK_SUCCESS), "a result of %d, and a pipeline or none", result);
	return result;
}
static VkResult layout_lacks_binding(void) { return pipeline_with("", 8, VK_SHADER_STAGE_COMPUTE_BIT); }
static VkResult layout_of_another_type(void) { return pipeline_with("u", 8, VK_SHADER_STAGE_COMPUTE_BIT); }
static VkResult layout_of_another_stage(void) { return pipeline_with("b", 8, VK_SHADER_STAGE_FRAGMENT_BIT); }
static VkResult layout_with_fewer_constants(void) { return pipeline_with("b", 4, VK_SHADER_STAGE_COMPUTE_BIT); }
static VkResult layout_without_sets(void) { return pipeline_with(NULL, 8, 0); }
static VkResult binding_twice(void) {
	VkDescriptorSetLayoutBinding bindings[] = {{3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL}, {3, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL}};
	VkDescriptorSetLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 2, .pBindings = bindings};
	VkDescriptorSetLayout l;
	return vkCreateDescriptorSetLayout(device, &info, NULL, &l);
}
static VkResult no_set(void) {
	VkCommandBuffer c = prepared();
	bind(c, add, VK_NULL_HANDLE);
	push(c, add, constants, 8);
	vkCmdDispatch(c, 1, 1, 1);
	return go(c);
}
static VkResult set_not_written(void) {
	VkCommandBuffer c = prepared();
	set = set_from(descriptor_pool(1, 0), add.set_layout);
	dispatch(c);
	return go(c);
}
static VkResult set_of_another_layout(void) {
	VkCommandBuffer c = prepared();
	kernel other = {.set_layout = set_layout("u", 0)};
	set = set_from(descriptor_pool(1, 0), other.set_layout);
	bind(c, add, set);
	return go(c);
}
static VkResult set_bound_with_another_layout(void) {
	VkCommandBuffer c = prepared();
	VkDescriptorSetLayout two[] = {add.set_layout, set_layout("u", 0)};
	kernel other = {.pipeline = add.pipeline, .layout = pipeline_layout(2, two, 8)};
	set = set_from(descriptor_pool(1, 0), two[1]);
	vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, add.pipeline);
	vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, other.layout, 1, 1, &set, 0, NULL);
	vkCmdDispatch(c, 1, 1, 1);
	return go(c);
}
static VkResult set_bound_with_other_constants(void) {
	VkCommandBuffer c = prepared();
	VkPipelineLayout other = pipeline_layout(1, &add.set_layout, 64);
	bind(c, add, VK_NULL_HANDLE);
	push(c, add, constants, 8);
	vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, other, 0, 1, &set, 0, NULL);
	vkCmdDispatch(c, 1, 1, 1);
	return go(c);
}
static VkResult set_beyond_layout(void) {
	VkCommandBuffer c = prepared();
	vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, add.layout, 1, 1, &set, 0, NULL);
	return go(c);
}
static VkResult set_updated_after_binding(void) {
	VkCommandBuffer c = prepared();
	buffer other = words_from(0, 256);
	dispatch(c);
	write_buffer(set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, other.buffer, 0, VK_WHOLE_SIZE);
	return go(c);
}
static VkResult set_updated_in_use(void) {
	VkCommandBuffer c = prepared();
	buffer other = words_from(0, 256);
	dispatch(c);
	must(vkEndCommandBuffer(c));
	must(submit(c, VK_NULL_HANDLE));
	write_buffer(set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, other.buffer, 0, VK_WHOLE_SIZE);
	return vkQueueWaitIdle(queue);
}
static VkResult write_of_another_type(void) {
	VkCommandBuffer c = prepared();
	write_buffer(set, 0, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, data.buffer, 0, VK_WHOLE_SIZE);
	dispatch(c);
	return go(c);
}
static VkResult write_unaligned(void) {
	VkCommandBuffer c = prepared();
	write_buffer(set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, data.buffer, 4, VK_WHOLE_SIZE);
	dispatch(c);
	return go(c);
}
static VkResult write_usage(void) {
	VkCommandBuffer c = prepared();
	buffer other = buffer_for(VK_BUFFER_USAGE_TRANSFER_DST_BIT, 1024, host_memory);
	write_buffer(set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, other.buffer, 0, VK_WHOLE_SIZE);
	dispatch(c);
	return go(c);
}
static VkResult set_freed_without_flag(void) {
	prepared();
	VkDescriptorPool p = descriptor_pool(1, 0);
	set = set_from(p, add.set_layout);
	return vkFreeDescriptorSets(device, p, 1, &set);
}
static VkResult push_into_a_plain_set(void) {
	VkCommandBuffer c = prepared();
	DEVICE_FUNCTION(vkCmdPushDescriptorSetKHR);
	VkDescriptorBufferInfo at = {.buffer = data.buffer, .range = VK_WHOLE_SIZE};
	VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .descriptorCount = 1, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = &at};
	vkCmdPushDescriptorSetKHR(c, VK_PIPELINE_BIND_POINT_COMPUTE, add.layout, 0, 1, &write);
	return go(c);
}
static VkResult dynamic(uint32_t count, uint32_t offset, VkDeviceSize range) {
	prepared();
	kernel k = kernel_of("add", "B", 8);
	set = set_from(descriptor_pool(1, 0), k.set_layout);
	write_buffer(set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, data.buffer, 0, range);
	uint32_t offsets[] = {offset, offset};
	VkCommandBuffer c = begin();
	vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, k.pipeline);
	vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, k.layout, 0, 1, &set, count, offsets);
	push(c, k, constants, 8);
	vkCmdDispatch(c, 1, 1, 1);
	return go(c);
}
static VkResult dynamic_unaligned(void) { return dynamic(1, 4, 256); }
static VkResult dynamic_beyond(void) { return dynamic(1, 512, 1024); }
static VkResult dynamic_missing(void) { return dynamic(0, 0, 256); }
static VkResult dynamic_too_many(void) { return dynamic(2, 0, 256); }

// What is no longer there

static VkResult buffer_destroyed(void) {
	VkCommandBuffer c = prepared();
	dispatch(c);
	vkDestroyBuffer(device, data.buffer, NULL);
	return go(c);
}
static VkResult buffer_destroyed_of_copy(void) {
	VkCommandBuffer c = prepared();
	vkCmdFillBuffer(c, data.buffer, 0, 64, 1);
	vkDestroyBuffer(device, data.buffer, NULL);
	return go(c);
}
static VkResult buffer_destroyed_in_use(void) {
	VkCommandBuffer c = prepared();
	dispatch(c);
	must(vkEndCommandBuffer(c));
	must(submit(c, VK_NULL_HANDLE));
	vkDestroyBuffer(device, data.buffer, NULL);
	return vkQueueWaitIdle(queue);
}
static VkBuffer unbound(void) {
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 64, .usage = any_usage};
	VkBuffer b;
	must(vkCreateBuffer(device, &info, NULL, &b));
	KEEP(BUFFER, b);
	return b;
}
static VkResult buffer_without_memory(void) {
	VkCommandBuffer c = prepared();
	VkBuffer b = unbound();
	INSTANCE_FUNCTION(vkSetDebugUtilsObjectNameEXT);
	vkSetDebugUtilsObjectNameEXT(device, &(VkDebugUtilsObjectNameInfoEXT){.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, .objectType = VK_OBJECT_TYPE_BUFFER, .objectHandle = (uint64_t)b, .pObjectName = "results"});
	write_buffer(set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, b, 0, VK_WHOLE_SIZE);
	dispatch(c);
	return go(c);
}
static VkResult memory_freed(void) {
	VkCommandBuffer c = prepared();
	dispatch(c);
	vkFreeMemory(device, data.memory, NULL);
	return go(c);
}
static VkResult memory_freed_in_use(void) {
	VkCommandBuffer c = prepared();
	dispatch(c);
	must(vkEndCommandBuffer(c));
	must(submit(c, VK_NULL_HANDLE));
	vkFreeMemory(device, data.memory, NULL);
	return vkQueueWaitIdle(queue);
}
static VkResult pipeline_destroyed(void) {
	VkCommandBuffer c = prepared();
	dispatch(c);
	vkDestroyPipeline(device, add.pipeline, NULL);
	return go(c);
}
static VkResult set_freed(void) {
	VkCommandBuffer c = prepared();
	VkDescriptorPool p = descriptor_pool(1, VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT);
	set = set_from(p, add.set_layout);
	write_buffer(set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, data.buffer, 0, VK_WHOLE_SIZE);
	dispatch(c);
	must(vkFreeDescriptorSets(device, p, 1, &set));
	return go(c);
}

// Memory

static VkResult bind_unaligned(void) {
	VkBuffer b = unbound();
	prepared();
	return vkBindBufferMemory(device, b, data.memory, 16);
}
static VkResult unmap_twice(void) {
	prepared();
	vkUnmapMemory(device, data.memory);
	vkUnmapMemory(device, data.memory);
	return VK_SUCCESS;
}
static VkResult flush_unmapped(void) {
	prepared();
	vkUnmapMemory(device, data.memory);
	VkMappedMemoryRange range = {.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, .memory = data.memory, .size = VK_WHOLE_SIZE};
	return vkFlushMappedMemoryRanges(device, 1, &range);
}
static VkResult address_without_usage(void) {
	VkBuffer b = unbound();
	prepared();
	must(vkBindBufferMemory(device, b, data.memory, 0));
	vkGetBufferDeviceAddress(device, &(VkBufferDeviceAddressInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = b});
	return VK_SUCCESS;
}

// Transfers

static VkResult copy_overlaps(void) {
	VkCommandBuffer c = prepared();
	vkCmdCopyBuffer(c, data.buffer, data.buffer, 1, &(VkBufferCopy){.srcOffset = 0, .dstOffset = 16, .size = 64});
	return go(c);
}
static VkResult copy_usage(void) {
	VkCommandBuffer c = prepared();
	buffer other = buffer_for(VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, 64, host_memory);
	vkCmdCopyBuffer(c, data.buffer, other.buffer, 1, &(VkBufferCopy){.size = 64});
	return go(c);
}
static VkResult fill_unaligned(void) {
	VkCommandBuffer c = prepared();
	vkCmdFillBuffer(c, data.buffer, 2, 8, 1);
	return go(c);
}
static VkResult update_too_large(void) {
	VkCommandBuffer c = prepared();
	buffer large = host_buffer(1 << 17);
	vkCmdUpdateBuffer(c, large.buffer, 0, 1 << 17, large.bytes);
	return go(c);
}
static VkImage image_of(VkImageUsageFlags usage) {
	VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D, .format = VK_FORMAT_R8G8B8A8_UNORM, .extent = {16, 16, 1}, .mipLevels = 1, .arrayLayers = 1, .samples = 1, .usage = usage};
	VkImage i;
	must(vkCreateImage(device, &info, NULL, &i));
	VkMemoryRequirements needs;
	vkGetImageMemoryRequirements(device, i, &needs);
	must(vkBindImageMemory(device, i, allocate(needs, 0), 0));
	KEEP(IMAGE, i);
	return i;
}
static VkResult image_copy(VkImageUsageFlags usage, VkImageLayout layout, VkBufferImageCopy region) {
	VkCommandBuffer c = prepared();
	vkCmdCopyBufferToImage(c, data.buffer, image_of(usage), layout, 1, &region);
	return go(c);
}
static const VkBufferImageCopy whole_image = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {16, 16, 1}};
static VkResult image_layout(void) { return image_copy(VK_IMAGE_USAGE_TRANSFER_DST_BIT, VK_IMAGE_LAYOUT_UNDEFINED, whole_image); }
static VkResult image_usage(void) { return image_copy(VK_IMAGE_USAGE_SAMPLED_BIT, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, whole_image); }
static VkResult image_region_outside(void) {
	VkBufferImageCopy region = whole_image;
	region.imageOffset = (VkOffset3D){5, 0, 0};
	region.imageExtent.width = UINT32_MAX - 3; // the sum is 1
	return image_copy(VK_IMAGE_USAGE_TRANSFER_DST_BIT, VK_IMAGE_LAYOUT_GENERAL, region);
}
static VkResult image_layers_outside(void) {
	VkBufferImageCopy region = whole_image;
	region.imageSubresource.layerCount = 1u << 31;
	return image_copy(VK_IMAGE_USAGE_TRANSFER_DST_BIT, VK_IMAGE_LAYOUT_GENERAL, region);
}
static VkResult image_rows_too_short(void) {
	VkBufferImageCopy region = whole_image;
	region.bufferRowLength = 8;
	return image_copy(VK_IMAGE_USAGE_TRANSFER_DST_BIT, VK_IMAGE_LAYOUT_GENERAL, region);
}
static VkResult image_clear_layout(void) {
	VkCommandBuffer c = prepared();
	VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
	vkCmdClearColorImage(c, image_of(VK_IMAGE_USAGE_TRANSFER_DST_BIT), VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, &(VkClearColorValue){0}, 1, &all);
	return go(c);
}

// Command buffers and submissions

static VkResult not_begun(void) {
	prepared();
	VkCommandBuffer c = command_buffer(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
	vkCmdFillBuffer(c, data.buffer, 0, 64, 1);
	return submit(c, VK_NULL_HANDLE);
}
static VkResult submitted_twice(void) {
	VkCommandBuffer c = prepared();
	dispatch(c);
	must(vkEndCommandBuffer(c));
	must(submit(c, VK_NULL_HANDLE));
	must(submit(c, VK_NULL_HANDLE));
	return vkQueueWaitIdle(queue);
}
static VkResult submitted_once_more(uint32_t in_one_call) {
	prepared();
	VkCommandBuffer c = command_buffer(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
	must(vkBeginCommandBuffer(c, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT}));
	dispatch(c);
	must(vkEndCommandBuffer(c));
	VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c}, twice[] = {info, info};
	if (!in_one_call)
		must(vkQueueSubmit(queue, 1, twice, VK_NULL_HANDLE));
	return vkQueueSubmit(queue, 1 + in_one_call, twice, VK_NULL_HANDLE);
}
static VkResult submitted_again(void) { return submitted_once_more(0); }
static VkResult submitted_again_in_one_call(void) { return submitted_once_more(1); }
static VkResult nothing_submitted(void) { return vkQueueSubmit(queue, 1, NULL, VK_NULL_HANDLE); }
static VkFence fence_of(void) {
	VkFence f;
	must(vkCreateFence(device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL, &f));
	KEEP(FENCE, f);
	return f;
}
static VkResult fence_reused(void) {
	VkCommandBuffer c = prepared();
	dispatch(c);
	must(vkEndCommandBuffer(c));
	VkFence f = fence_of();
	must(submit(c, f));
	must(vkQueueWaitIdle(queue));
	return submit(c, f);
}
static VkResult fence_reset_in_use(void) {
	VkCommandBuffer c = prepared();
	dispatch(c);
	must(vkEndCommandBuffer(c));
	VkFence f = fence_of();
	must(submit(c, f));
	return vkResetFences(device, 1, &f);
}
static VkResult pool_reset_in_use(void) {
	VkCommandBuffer c = prepared();
	dispatch(c);
	must(vkEndCommandBuffer(c));
	must(submit(c, VK_NULL_HANDLE));
	return vkResetCommandPool(device, pool, 0);
}
static VkResult reset_without_flag(void) {
	VkCommandBuffer c = begun_in(queue_family);
	must(vkEndCommandBuffer(c));
	return vkResetCommandBuffer(c, 0);
}
static VkCommandBuffer second(void) {
	VkCommandBuffer s = command_buffer(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
	VkCommandBufferInheritanceInfo inherits = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
	must(vkBeginCommandBuffer(s, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, .pInheritanceInfo = &inherits}));
	dispatch(s);
	must(vkEndCommandBuffer(s));
	return s;
}
static VkResult bound_before_secondary(void) {
	VkCommandBuffer c = prepared();
	VkCommandBuffer s = second();
	dispatch(c);
	vkCmdExecuteCommands(c, 1, &s);
	vkCmdDispatch(c, 1, 1, 1);
	return go(c);
}
static VkResult secondary_recorded_again(void) {
	VkCommandBuffer c = prepared();
	VkCommandBuffer s = second();
	vkCmdExecuteCommands(c, 1, &s);
	must(vkResetCommandBuffer(s, 0));
	return go(c);
}
static VkSemaphore semaphore_of(void) {
	VkSemaphore s;
	must(vkCreateSemaphore(device, &(VkSemaphoreCreateInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO}, NULL, &s));
	KEEP(SEMAPHORE, s);
	return s;
}
static VkResult waits_for_no_signal(void) {
	VkSemaphore s = semaphore_of();
	VkPipelineStageFlags at = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	VkSubmitInfo waits = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .waitSemaphoreCount = 1, .pWaitSemaphores = &s, .pWaitDstStageMask = &at};
	must(vkQueueSubmit(queue, 1, &waits, VK_NULL_HANDLE));
	VkSubmitInfo signals = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .signalSemaphoreCount = 1, .pSignalSemaphores = &s};
	VkQueue other;
	vkGetDeviceQueue(device, queue_family, 1, &other);
	must(vkQueueSubmit(other, 1, &signals, VK_NULL_HANDLE));
	return vkQueueWaitIdle(queue);
}
static VkResult signals_twice(void) {
	VkSemaphore s = semaphore_of();
	VkSubmitInfo signals = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .signalSemaphoreCount = 1, .pSignalSemaphores = &s};
	must(vkQueueSubmit(queue, 1, &signals, VK_NULL_HANDLE));
	must(vkQueueSubmit(queue, 1, &signals, VK_NULL_HANDLE));
	return vkQueueWaitIdle(queue);
}

// Queries, modules and constants

static VkResult query_not_reset(void) {
	VkCommandBuffer c = prepared();
	VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 2};
	VkQueryPool q;
	must(vkCreateQueryPool(device, &info, NULL, &q));
	KEEP(QUERIES, q);
	vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, q, 1);
	return go(c);
}
static VkResult module_of_odd_size(void) {
	size_t bytes;
	VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .pCode = module_words("add", &bytes)};
	info.codeSize = bytes - 1;
	VkShaderModule m;
	return vkCreateShaderModule(device, &info, NULL, &m);
}
static VkResult constant_beyond(void) {
	prepared();
	uint32_t value = 3;
	VkSpecializationMapEntry entry = {0, 2, 4};
	VkSpecializationInfo all = {1, &entry, 4, &value};
	VkComputePipelineCreateInfo info = pipeline_info("constants", add.layout, &all);
	VkPipeline p;
	return vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &p);
}
static VkResult descriptors_without_end(void) {
	VkDescriptorSetLayoutBinding b = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, UINT32_MAX, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
	VkDescriptorSetLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &b};
	VkDescriptorSetLayout l;
	return vkCreateDescriptorSetLayout(device, &info, NULL, &l);
}
static VkResult queries_without_end(void) {
	VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = UINT32_MAX};
	VkQueryPool q;
	return vkCreateQueryPool(device, &info, NULL, &q);
}
static VkResult indirect_groups_beyond(void) {
	VkCommandBuffer c = prepared();
	buffer sizes = host_buffer(64);
	sizes.u32[0] = sizes.u32[2] = 1, sizes.u32[1] = 70000;
	bind(c, add, set);
	push(c, add, constants, 8);
	vkCmdDispatchIndirect(c, sizes.buffer, 0);
	return go(c);
}

static const struct {
	const char *name;
	VkResult (*body)(void);
	VkResult result;
	const char *want;
} mistakes[] = {
#define REFUSED(name, want) {#name, name, VK_ERROR_UNKNOWN, want}
#define WARNED(name, want) {#name, name, VK_SUCCESS, want}
    REFUSED(groups_beyond, "workgroups 0 to 70000 in dimension 1: want at most 65535"),
    REFUSED(groups_beyond_from_base, "workgroups 65000 to 66000 in dimension 1: want at most 65535"),
    REFUSED(base_without_flag, "was not created with VK_PIPELINE_CREATE_DISPATCH_BASE_BIT"),
    REFUSED(indirect_unaligned, "byte 2 of the buffer: want a multiple of 4"),
    WARNED(indirect_usage, "was not created with usage VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT"),
    REFUSED(no_pipeline, "no pipeline is bound"),
    WARNED(no_push, "the shader has 8 bytes of push constants, and none were set"),
    REFUSED(push_beyond_layout, "push constants of 16 bytes from byte 0 on: the pipeline layout has ranges up to byte 8"),
    REFUSED(push_unaligned, "push constants of 4 bytes from byte 2 on: want multiples of 4"),
    REFUSED(queue_only_copies, "is of queue family 1, which does not compute"),
    REFUSED(queue_of_another_family, "is of queue family 1, and the queue of family 0"),
    REFUSED(layout_lacks_binding, "set 0, binding 0 (Data): the layout of the set has no such binding"),
    REFUSED(layout_of_another_type, "has VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER there: the shader wants VK_DESCRIPTOR_TYPE_STORAGE_BUFFER"),
    REFUSED(layout_of_another_stage, "without VK_SHADER_STAGE_COMPUTE_BIT"),
    REFUSED(layout_with_fewer_constants, "the shader has 8 bytes of push constants: the pipeline layout has ranges up to byte 4"),
    REFUSED(layout_without_sets, "set 0, binding 0 (Data): the pipeline layout has no such set"),
    REFUSED(binding_twice, "binding 3 is there twice, as VK_DESCRIPTOR_TYPE_STORAGE_BUFFER and VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER"),
    REFUSED(no_set, "set 0, binding 0 (Data): no descriptor set is bound"),
    WARNED(set_not_written, "set 0, binding 0 (Data): descriptor 0 was never written"),
    REFUSED(set_of_another_layout, "has another layout than the pipeline layout"),
    REFUSED(set_bound_with_another_layout, "set 0, binding 0 (Data): no descriptor set is bound"),
    WARNED(set_bound_with_other_constants, "set 0 was bound with a pipeline layout that is not compatible"),
    REFUSED(set_beyond_layout, "sets 1 to 1: the pipeline layout has 1"),
    WARNED(set_updated_after_binding, "was updated after it was bound"),
    WARNED(set_updated_in_use, "is updated while submitted work uses it"),
    WARNED(write_of_another_type, "binding 0 is of VK_DESCRIPTOR_TYPE_STORAGE_BUFFER in the set's layout: found VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER"),
    WARNED(write_unaligned, "want a multiple of 16 (minStorageBufferOffsetAlignment"),
    WARNED(write_usage, "was not created with usage VK_BUFFER_USAGE_STORAGE_BUFFER_BIT"),
    WARNED(set_freed_without_flag, "was not created with VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT"),
    REFUSED(push_into_a_plain_set, "was not created with VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR"),
    WARNED(dynamic_unaligned, "dynamic offset 4: want a multiple of 16"),
    WARNED(dynamic_beyond, "dynamic offset 512: its 1024 bytes from there on end beyond buffer"),
    REFUSED(dynamic_missing, "0 dynamic offsets: want one for each"),
    REFUSED(dynamic_too_many, "2 dynamic offsets: the sets have 1"),
    REFUSED(buffer_destroyed, "set 0, binding 0 (Data): buffer 0x"),
    REFUSED(buffer_destroyed_of_copy, "which was destroyed or freed after it was recorded"),
    WARNED(buffer_destroyed_in_use, "ends while submitted work uses it"),
    REFUSED(buffer_without_memory, "set 0, binding 0 (Data): buffer \"results\""),
    REFUSED(memory_freed, "has no memory: it was freed"),
    WARNED(memory_freed_in_use, "ends while submitted work uses it"),
    REFUSED(pipeline_destroyed, "has a command that uses pipeline 0x"),
    REFUSED(set_freed, "has a command that uses descriptor set 0x"),
    REFUSED(bind_unaligned, "at byte 16 of memory: want a multiple of 256"),
    WARNED(unmap_twice, "is not mapped"),
    {"flush_unmapped", flush_unmapped, VK_ERROR_MEMORY_MAP_FAILED, "is not mapped"},
    WARNED(address_without_usage, "was not created with usage VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT"),
    WARNED(copy_overlaps, "overlap"),
    WARNED(copy_usage, "was not created with usage VK_BUFFER_USAGE_TRANSFER_DST_BIT"),
    REFUSED(fill_unaligned, "8 bytes from byte 2 on: want multiples of 4"),
    REFUSED(update_too_large, "4 to 65536 bytes"),
    REFUSED(image_layout, "in layout VK_IMAGE_LAYOUT_UNDEFINED: want VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL"),
    WARNED(image_usage, "was not created with usage VK_IMAGE_USAGE_TRANSFER_DST_BIT"),
    REFUSED(image_region_outside, "outside of image"),
    REFUSED(image_layers_outside, "2147483648 layers from 0 on"),
    REFUSED(image_rows_too_short, "rows of 8 texels"),
    REFUSED(image_clear_layout, "in layout VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL"),
    REFUSED(not_begun, "is not being recorded"),
    WARNED(submitted_twice, "was recorded without VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT"),
    REFUSED(submitted_again, "VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT"),
    REFUSED(submitted_again_in_one_call, "VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT"),
    REFUSED(nothing_submitted, "found a null pointer: want an array of 1 SubmitInfo"),
    REFUSED(fence_reused, "the fence is signaled or in use"),
    REFUSED(fence_reset_in_use, "is in use: wait for it first"),
    REFUSED(pool_reset_in_use, "of the pool is in use"),
    WARNED(reset_without_flag, "was not created with VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT"),
    REFUSED(bound_before_secondary, "no pipeline is bound (vkCmdExecuteCommands leaves nothing bound)"),
    WARNED(secondary_recorded_again, "which was reset or recorded again"),
    WARNED(waits_for_no_signal, "which nothing that was submitted signals"),
    WARNED(signals_twice, "whose signal before nothing waited for"),
    WARNED(query_not_reset, "query 1 of query pool"),
    REFUSED(module_of_odd_size, "want a multiple of 4"),
    REFUSED(constant_beyond, "specialization constant 0: 4 bytes from byte 2 on of 4"),
    {"descriptors_without_end", descriptors_without_end, VK_ERROR_OUT_OF_HOST_MEMORY, "4294967295 descriptors in a set: want at most 4194304"},
    {"queries_without_end", queries_without_end, VK_ERROR_OUT_OF_HOST_MEMORY, "bytes of the host for 4294967295 queries"},
    {"indirect_groups_beyond", indirect_groups_beyond, VK_ERROR_DEVICE_LOST, "workgroups 0 to 70000 in dimension 1: want at most 65535"},
};

static size_t now;
static void mistake(void) {
	said[0] = 0;
	VkResult result = mistakes[now].body();
	check(result == mistakes[now].result, "the last call gave %d, want %d; it said: %s", result, mistakes[now].result, said);
	check(strstr(said, mistakes[now].want), "it said: %.400s; want: %s", said, mistakes[now].want);
	if (result == VK_ERROR_DEVICE_LOST) {
		printf(test_faults ? "" : "ok %s\n", test_name);
		exit(faults + test_faults ? 1 : 0); // what a lost device has is not freed
	}
}

int main(int count, char **words) {
	quiet = true;
	queue_count = 2;
	start(count, words, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME, NULL);
	INSTANCE_FUNCTION(vkCreateDebugUtilsMessengerEXT);
	VkDebugUtilsMessengerCreateInfoEXT info = messenger_info;
	info.pfnUserCallback = hear;
	VkDebugUtilsMessengerEXT listener;
	must(vkCreateDebugUtilsMessengerEXT(instance, &info, NULL, &listener));
	for (now = 0; now < COUNT(mistakes); now++)
		test(mistakes[now].name, mistake);
	return stop();
}
