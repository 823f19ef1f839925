// Names of objects and labels of commands, through VK_EXT_debug_utils.
#include "vk.h"

static void named(void) {
	INSTANCE_FUNCTION(vkSetDebugUtilsObjectNameEXT);
	INSTANCE_FUNCTION(vkSetDebugUtilsObjectTagEXT);
	INSTANCE_FUNCTION(vkCmdBeginDebugUtilsLabelEXT);
	INSTANCE_FUNCTION(vkCmdInsertDebugUtilsLabelEXT);
	INSTANCE_FUNCTION(vkCmdEndDebugUtilsLabelEXT);
	INSTANCE_FUNCTION(vkQueueBeginDebugUtilsLabelEXT);
	INSTANCE_FUNCTION(vkQueueEndDebugUtilsLabelEXT);
	kernel k = kernel_of("add", "b", 8);
	buffer data = words_from(0, 64);
	VkDebugUtilsObjectNameInfoEXT names[] = {
	    {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, .objectType = VK_OBJECT_TYPE_PIPELINE, .objectHandle = (uint64_t)k.pipeline, .pObjectName = "add them"},
	    {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, .objectType = VK_OBJECT_TYPE_BUFFER, .objectHandle = (uint64_t)data.buffer, .pObjectName = "the words"},
	    {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, .objectType = VK_OBJECT_TYPE_QUEUE, .objectHandle = (uint64_t)queue, .pObjectName = "the queue"},
	    {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, .objectType = VK_OBJECT_TYPE_BUFFER, .objectHandle = (uint64_t)data.buffer, .pObjectName = ""},
	};
	for (size_t i = 0; i < COUNT(names); i++)
		gives(VK_SUCCESS, vkSetDebugUtilsObjectNameEXT(device, names + i));
	VkDebugUtilsObjectTagInfoEXT tag = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_TAG_INFO_EXT, .objectType = VK_OBJECT_TYPE_PIPELINE, .objectHandle = (uint64_t)k.pipeline, .tagName = 1, .tagSize = 4, .pTag = names};
	gives(VK_SUCCESS, vkSetDebugUtilsObjectTagEXT(device, &tag));
	VkDebugUtilsLabelEXT outer = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = "a step", .color = {1, 0, 0, 1}}, inner = outer;
	inner.pLabelName = "in the step";
	uint32_t constants[] = {2, 0};
	vkQueueBeginDebugUtilsLabelEXT(queue, &outer);
	VkCommandBuffer c = begin();
	vkCmdBeginDebugUtilsLabelEXT(c, &outer);
	bind(c, k, set_with(k.set_layout, &data, NULL));
	push(c, k, constants, 8);
	vkCmdInsertDebugUtilsLabelEXT(c, &inner);
	vkCmdDispatch(c, 1, 1, 1);
	vkCmdEndDebugUtilsLabelEXT(c);
	finish(c);
	vkQueueEndDebugUtilsLabelEXT(queue);
	same("word", 9, data.u32[9], 18);
}

int main(int count, char **words) {
	start(count, words, NULL);
	TEST(named);
	return stop();
}
