// Requests that a driver has to refuse with the right result, and objects that are nothing.
#include "vk.h"

static VkResult instance_with(const char *extension, const char *layer) {
	VkInstanceCreateInfo info = {
	    .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
	    .enabledExtensionCount = extension != NULL,
	    .ppEnabledExtensionNames = &extension,
	    .enabledLayerCount = layer != NULL,
	    .ppEnabledLayerNames = &layer,
	};
	VkInstance made_instance;
	VkResult result = vkCreateInstance(&info, NULL, &made_instance);
	if (result == VK_SUCCESS)
		vkDestroyInstance(made_instance, NULL);
	return result;
}

static void instances(void) {
	gives(VK_ERROR_EXTENSION_NOT_PRESENT, instance_with("VK_EXT_that_never_was", NULL));
	gives(VK_ERROR_LAYER_NOT_PRESENT, instance_with(NULL, "VK_LAYER_that_never_was"));
	gives(VK_SUCCESS, instance_with(NULL, NULL));
}

static VkResult device_with(const char *extension, const VkPhysicalDeviceFeatures *wanted) {
	float priority = 1;
	VkDeviceQueueCreateInfo queues = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = queue_family, .queueCount = 1, .pQueuePriorities = &priority};
	VkDeviceCreateInfo info = {
	    .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
	    .queueCreateInfoCount = 1,
	    .pQueueCreateInfos = &queues,
	    .enabledExtensionCount = extension != NULL,
	    .ppEnabledExtensionNames = &extension,
	    .pEnabledFeatures = wanted,
	};
	VkDevice made_device;
	VkResult result = vkCreateDevice(physical, &info, NULL, &made_device);
	if (result == VK_SUCCESS)
		vkDestroyDevice(made_device, NULL);
	return result;
}

// lacking is a feature of Vulkan 1.0 that the device doesn't have, or -1.
static int lacking(const VkPhysicalDeviceFeatures *has_features) {
	const VkBool32 *each = (const VkBool32 *)has_features;
	for (size_t i = 0; i < sizeof *has_features / sizeof *each; i++)
		if (!each[i])
			return (int)i;
	return -1;
}

static void devices(void) {
	gives(VK_SUCCESS, device_with(NULL, NULL));
	quiet = true; // the layers have their say about both of these
	gives(VK_ERROR_EXTENSION_NOT_PRESENT, device_with("VK_EXT_that_never_was", NULL));
	VkPhysicalDeviceFeatures supported, wanted = {0};
	vkGetPhysicalDeviceFeatures(physical, &supported);
	int one = lacking(&supported);
	if (one >= 0) {
		((VkBool32 *)&wanted)[one] = VK_TRUE;
		gives(VK_ERROR_FEATURE_NOT_PRESENT, device_with(NULL, &wanted));
	}
	quiet = false;
}

// A count too small for what there is gives as many, and VK_INCOMPLETE.
static void incomplete(void) {
	uint32_t count = 0;
	gives(VK_SUCCESS, vkEnumerateDeviceExtensionProperties(physical, NULL, &count, NULL));
	if (count < 2)
		return skip("two extensions");
	VkExtensionProperties first[2] = {{.extensionName = "before"}, {.extensionName = "untouched"}};
	count = 1;
	gives(VK_INCOMPLETE, vkEnumerateDeviceExtensionProperties(physical, NULL, &count, first));
	same("count", 0, count, 1);
	check(!strncmp(first[0].extensionName, "VK_", 3), "the first extension is %s", first[0].extensionName);
	check(!strcmp(first[1].extensionName, "untouched"), "a second one was written: %s", first[1].extensionName);
	VkPhysicalDevice none[1];
	count = 0;
	gives(VK_INCOMPLETE, vkEnumeratePhysicalDevices(instance, &count, none));
}

// Freeing nothing is allowed.
static void nothing(void) {
	for (enum kind kind = BUFFER; kind <= POOL; kind++)
		free_one(kind, 0);
	vkDestroyDevice(VK_NULL_HANDLE, NULL);
	vkFreeCommandBuffers(device, pool, 1, (VkCommandBuffer[]){VK_NULL_HANDLE});
}

static void unknown_commands(void) {
	check(!vkGetDeviceProcAddr(device, "vkThatNeverWas"), "a device has vkThatNeverWas");
	check(!vkGetInstanceProcAddr(instance, "vkThatNeverWas"), "an instance has vkThatNeverWas");
	check(vkGetDeviceProcAddr(device, "vkCmdDispatch") != NULL, "the device has no vkCmdDispatch");
	// What belongs to an extension that wasn't enabled isn't there.
	check(!vkGetDeviceProcAddr(device, "vkCmdPushDescriptorSetKHR"), "a command of an extension that is not enabled");
}

static void formats(void) {
	VkImageFormatProperties of_image;
	gives(VK_ERROR_FORMAT_NOT_SUPPORTED, vkGetPhysicalDeviceImageFormatProperties(physical, VK_FORMAT_R64G64B64A64_SFLOAT, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_SAMPLED_BIT, 0, &of_image));
	VkFormatProperties of_format;
	vkGetPhysicalDeviceFormatProperties(physical, VK_FORMAT_R8G8B8A8_UNORM, &of_format);
	VkResult result = vkGetPhysicalDeviceImageFormatProperties(physical, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_STORAGE_BIT, 0, &of_image);
	bool stores = of_format.optimalTilingFeatures & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT;
	check(stores == (result == VK_SUCCESS), "storage of bytes: the format says %d, images give %d", stores, result);
}

int main(int count, char **words) {
	start(count, words, NULL);
	TEST(instances);
	TEST(devices);
	TEST(incomplete);
	TEST(nothing);
	TEST(unknown_commands);
	TEST(formats);
	return stop();
}
