// What the validation layers' instruments find: a shader that prints, and one that reads a descriptor of an array that was never written. The second
// word says which; the test reads what is said.
#include "vk.h"

static VKAPI_ATTR VkBool32 VKAPI_CALL show(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
                                           const VkDebugUtilsMessengerCallbackDataEXT *message, void *user) {
	(void)severity, (void)types, (void)user;
	printf("# %s\n", message->pMessage);
	return VK_FALSE;
}

static void prints(void) {
	kernel k = kernel_of("debug_printf", "b", 0);
	buffer data = words_from(2530, 4);
	run(k, set_with(k.set_layout, &data, NULL), NULL, 0, 1);
	same("word", 1, data.u32[1], 2532);
}

static void reads_unwritten(void) {
	if (!features12.runtimeDescriptorArray || !features12.descriptorBindingPartiallyBound)
		return skip("descriptor indexing of storage buffers");
	VkDescriptorBindingFlags flags[] = {0, VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT};
	VkDescriptorSetLayoutBindingFlagsCreateInfo of_flags = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO, .bindingCount = 2, .pBindingFlags = flags};
	VkDescriptorSetLayoutBinding bindings[] = {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL}, {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 8, VK_SHADER_STAGE_COMPUTE_BIT, NULL}};
	kernel k = {.set_layout = set_layout_of(&(VkDescriptorSetLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .pNext = &of_flags, .bindingCount = 2, .pBindings = bindings})};
	k.layout = pipeline_layout(1, &k.set_layout, 0);
	VkComputePipelineCreateInfo info = pipeline_info("runtime_array", k.layout, NULL);
	k.pipeline = pipeline_of(&info);
	VkDescriptorSet set = set_from(descriptor_pool(1, 0), k.set_layout);
	buffer out = host_buffer(64);
	write_buffer(set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out.buffer, 0, VK_WHOLE_SIZE);
	for (uint32_t i = 0; i < 7; i++)
		if (i != 5)
			write_buffer(set, 1, i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, words_from(1000 * i, 16).buffer, 0, VK_WHOLE_SIZE);
	run(k, set, NULL, 0, 1);
}

int main(int count, char **words) {
	quiet = true;
	start(2, words, VK_KHR_SHADER_NON_SEMANTIC_INFO_EXTENSION_NAME, NULL);
	INSTANCE_FUNCTION(vkCreateDebugUtilsMessengerEXT);
	INSTANCE_FUNCTION(vkDestroyDebugUtilsMessengerEXT);
	VkDebugUtilsMessengerCreateInfoEXT info = messenger_info;
	info.messageSeverity |= VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT;
	info.pfnUserCallback = show;
	VkDebugUtilsMessengerEXT shows;
	must(vkCreateDebugUtilsMessengerEXT(instance, &info, NULL, &shows));
	if (count > 2 && !strcmp(words[2], "unwritten"))
		TEST(reads_unwritten);
	else
		TEST(prints);
	vkDestroyDebugUtilsMessengerEXT(instance, shows, NULL);
	return stop();
}
