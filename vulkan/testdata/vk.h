// What the small Vulkan programs share: a device with everything that it
// offers switched on, buffers that the host sees, kernels from a module's name,
// and checks that say what was found and what was wanted.
//
// A program is a row of tests. Each prints one line: "ok NAME", "skip NAME: what
// the device lacks", or "FAIL NAME: ..." a fault. What a test made is freed when
// it ends, so that a validation layer has nothing to complain of. The program's
// first argument is the folder of its modules; a second one picks a test by name.
#ifndef VK_H
#define VK_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "results.h"

// No program uses everything here.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

// must ends the program when a call of its scaffolding fails: what follows would mean nothing.
#define must(call)                                                                                    \
	do {                                                                                              \
		VkResult must_result = (call);                                                                \
		if (must_result != VK_SUCCESS) {                                                              \
			printf("FAIL %s: %s gave %d, want VK_SUCCESS\n", test_name, #call, must_result);          \
			exit(1);                                                                                  \
		}                                                                                             \
	} while (0)

// DEVICE_FUNCTION declares a local pointer to a command of an extension.
#define DEVICE_FUNCTION(name) PFN_##name name = (PFN_##name)vkGetDeviceProcAddr(device, #name)
#define INSTANCE_FUNCTION(name) PFN_##name name = (PFN_##name)vkGetInstanceProcAddr(instance, #name)

static const char *module_folder = ".", *picked;
static bool test_skipped;

static VkInstance instance;
static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static uint32_t queue_family;
static VkCommandPool pool;
static VkPhysicalDeviceMemoryProperties memory_properties;
static VkPhysicalDeviceProperties properties;
static VkDebugUtilsMessengerEXT messenger;

// robust asks for the robustness features, which are off otherwise. Set it before start.
static bool robust;
// quiet lets validation errors pass: a program that misuses the API on purpose sets it.
static bool quiet;
// queue_count is 1 or 2, of the family that computes. Set it before start.
static uint32_t queue_count = 1;

// The newest headers of Debian bookworm are of Vulkan 1.3.239, so the structures
// of later extensions are declared here; the registry gives their numbers.
#define VK_KHR_MAINTENANCE_5_NAME "VK_KHR_maintenance5"
#define VK_KHR_QUAD_CONTROL_NAME "VK_KHR_shader_quad_control"
#define VK_KHR_RECONVERGENCE_NAME "VK_KHR_shader_maximal_reconvergence"
#define VK_KHR_UNTYPED_NAME "VK_KHR_shader_untyped_pointers"
#define VK_MATRIX_NAME "VK_KHR_cooperative_matrix"
#define VK_GENERATED_COMMANDS_NAME "VK_EXT_device_generated_commands"
#define VK_AMDX_ENQUEUE_NAME "VK_AMDX_shader_enqueue"

typedef struct {
	VkStructureType sType;
	void *pNext;
	VkBool32 on[8]; // as many as the structure has; the rest is padding
} later_features;

static VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
static VkPhysicalDeviceVulkan11Features features11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
static VkPhysicalDeviceVulkan12Features features12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
static VkPhysicalDeviceVulkan13Features features13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
static VkPhysicalDeviceRobustness2FeaturesEXT robustness2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT};
static VkPhysicalDeviceShaderClockFeaturesKHR clock_features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR};
static VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT};
static VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT atomic_float2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT};
static VkPhysicalDeviceShaderImageAtomicInt64FeaturesEXT image_int64 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_IMAGE_ATOMIC_INT64_FEATURES_EXT};
static VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR explicit_layout = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR};
static VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executable_features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR};
static VkPhysicalDevicePerformanceQueryFeaturesKHR performance_features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR};
static later_features maintenance5 = {.sType = (VkStructureType)1000470000};
static later_features quad_control = {.sType = (VkStructureType)1000235000};
static later_features reconvergence = {.sType = (VkStructureType)1000434000};
static later_features untyped_pointers = {.sType = (VkStructureType)1000387000};
static later_features cooperative_matrix = {.sType = (VkStructureType)1000506000};
static later_features shader_enqueue = {.sType = (VkStructureType)1000134000};
static later_features generated_commands = {.sType = (VkStructureType)1000572000};

// extension_features are the structures that extensions add to the features of a device.
static const struct {
	const char *extension;
	void *structure;
} extension_features[] = {
    {VK_EXT_ROBUSTNESS_2_EXTENSION_NAME, &robustness2},
    {VK_KHR_SHADER_CLOCK_EXTENSION_NAME, &clock_features},
    {VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME, &atomic_float},
    {VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME, &atomic_float2},
    {VK_EXT_SHADER_IMAGE_ATOMIC_INT64_EXTENSION_NAME, &image_int64},
    {VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME, &explicit_layout},
    {VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME, &executable_features},
    {VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME, &performance_features},
    {VK_KHR_MAINTENANCE_5_NAME, &maintenance5},
    {VK_KHR_QUAD_CONTROL_NAME, &quad_control},
    {VK_KHR_RECONVERGENCE_NAME, &reconvergence},
    {VK_KHR_UNTYPED_NAME, &untyped_pointers},
    {VK_MATRIX_NAME, &cooperative_matrix},
    {VK_AMDX_ENQUEUE_NAME, &shader_enqueue},
    {VK_GENERATED_COMMANDS_NAME, &generated_commands},
};

static const char *enabled_extensions[32];
static uint32_t enabled_count;

// has says whether the device has an extension that start was asked for.
static bool has(const char *extension) {
	for (uint32_t i = 0; i < enabled_count; i++)
		if (!strcmp(enabled_extensions[i], extension))
			return true;
	return false;
}

// Results

static void skip(const char *lacking) {
	printf("skip %s: the device has no %s\n", test_name, lacking);
	test_skipped = true;
}

// gives checks a call's result.
#define gives(wanted, call)                                                                           \
	do {                                                                                              \
		VkResult given = (call);                                                                      \
		check(given == (wanted), "%s gave %d, want " #wanted " (%d)", #call, given, wanted);          \
	} while (0)

// Things to free when a test ends, the last made first.

enum kind { BUFFER, MEMORY, MODULE, SET_LAYOUT, LAYOUT, PIPELINE, DESCRIPTOR_POOL, FENCE, SEMAPHORE, EVENT, QUERIES, TEMPLATE, IMAGE, VIEW, SAMPLER, CACHE, TEXELS, POOL };

static struct {
	enum kind kind;
	uint64_t handle;
} made[1024];
static size_t made_count;

static void later_free(enum kind kind, uint64_t handle) {
	if (made_count == COUNT(made)) {
		printf("FAIL %s: the test makes more than %zu objects\n", test_name, COUNT(made));
		exit(1);
	}
	made[made_count].kind = kind;
	made[made_count++].handle = handle;
}
#define KEEP(kind, handle) later_free(kind, (uint64_t)(handle))

static void free_one(enum kind kind, uint64_t handle) {
	switch (kind) {
	case BUFFER: vkDestroyBuffer(device, (VkBuffer)handle, NULL); break;
	case MEMORY: vkFreeMemory(device, (VkDeviceMemory)handle, NULL); break;
	case MODULE: vkDestroyShaderModule(device, (VkShaderModule)handle, NULL); break;
	case SET_LAYOUT: vkDestroyDescriptorSetLayout(device, (VkDescriptorSetLayout)handle, NULL); break;
	case LAYOUT: vkDestroyPipelineLayout(device, (VkPipelineLayout)handle, NULL); break;
	case PIPELINE: vkDestroyPipeline(device, (VkPipeline)handle, NULL); break;
	case DESCRIPTOR_POOL: vkDestroyDescriptorPool(device, (VkDescriptorPool)handle, NULL); break;
	case FENCE: vkDestroyFence(device, (VkFence)handle, NULL); break;
	case SEMAPHORE: vkDestroySemaphore(device, (VkSemaphore)handle, NULL); break;
	case EVENT: vkDestroyEvent(device, (VkEvent)handle, NULL); break;
	case QUERIES: vkDestroyQueryPool(device, (VkQueryPool)handle, NULL); break;
	case TEMPLATE: vkDestroyDescriptorUpdateTemplate(device, (VkDescriptorUpdateTemplate)handle, NULL); break;
	case IMAGE: vkDestroyImage(device, (VkImage)handle, NULL); break;
	case VIEW: vkDestroyImageView(device, (VkImageView)handle, NULL); break;
	case SAMPLER: vkDestroySampler(device, (VkSampler)handle, NULL); break;
	case CACHE: vkDestroyPipelineCache(device, (VkPipelineCache)handle, NULL); break;
	case TEXELS: vkDestroyBufferView(device, (VkBufferView)handle, NULL); break;
	case POOL: vkDestroyCommandPool(device, (VkCommandPool)handle, NULL); break;
	}
}

static void free_made(void) {
	while (made_count > 0) {
		made_count--;
		free_one(made[made_count].kind, made[made_count].handle);
	}
}

static void test(const char *name, void (*body)(void)) {
	if (picked && strcmp(picked, name))
		return;
	begin_test(name);
	test_skipped = false;
	body();
	if (device)
		must(vkDeviceWaitIdle(device));
	free_made();
	if (pool)
		must(vkResetCommandPool(device, pool, 0));
	end_test(test_skipped);
}
#define TEST(name) test(#name, name)

// The device

static VKAPI_ATTR VkBool32 VKAPI_CALL heard(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
                                            const VkDebugUtilsMessengerCallbackDataEXT *data, void *user) {
	(void)types, (void)user;
	if (strstr(data->pMessage, "most likely a validation bug")) // the layers of 1.3.239 lose a signal of another thread now and then
		return VK_FALSE;
	if (severity == VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT && !quiet)
		fail("validation: %s", data->pMessage);
	return VK_FALSE;
}

static const VkDebugUtilsMessengerCreateInfoEXT messenger_info = {
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
    .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
    .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
    .pfnUserCallback = heard,
};

static void start_instance(void) {
	const char *extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
	VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = "test", .apiVersion = VK_API_VERSION_1_3};
	VkInstanceCreateInfo info = {
	    .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
	    .pNext = &messenger_info,
	    .pApplicationInfo = &application,
	    .enabledExtensionCount = COUNT(extensions),
	    .ppEnabledExtensionNames = extensions,
	};
	must(vkCreateInstance(&info, NULL, &instance));
	INSTANCE_FUNCTION(vkCreateDebugUtilsMessengerEXT);
	must(vkCreateDebugUtilsMessengerEXT(instance, &messenger_info, NULL, &messenger));
	uint32_t count = 1;
	VkResult result = vkEnumeratePhysicalDevices(instance, &count, &physical);
	if ((result != VK_SUCCESS && result != VK_INCOMPLETE) || count == 0) {
		printf("FAIL start: vkEnumeratePhysicalDevices gave %d with %u devices\n", result, count);
		exit(1);
	}
	vkGetPhysicalDeviceMemoryProperties(physical, &memory_properties);
	vkGetPhysicalDeviceProperties(physical, &properties);
}

static bool available(const char *extension) {
	static VkExtensionProperties *all;
	static uint32_t count;
	if (!all) {
		must(vkEnumerateDeviceExtensionProperties(physical, NULL, &count, NULL));
		all = calloc(count + 1, sizeof *all);
		must(vkEnumerateDeviceExtensionProperties(physical, NULL, &count, all));
	}
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(all[i].extensionName, extension))
			return true;
	return false;
}

// chain_features links the structures of core versions and of the enabled extensions, and asks the device for them.
static void chain_features(void) {
	features.pNext = &features11;
	features11.pNext = &features12;
	features12.pNext = &features13;
	VkBaseOutStructure *last = (VkBaseOutStructure *)&features13;
	for (size_t i = 0; i < COUNT(extension_features); i++)
		if (has(extension_features[i].extension)) {
			last->pNext = extension_features[i].structure;
			last = last->pNext;
		}
	vkGetPhysicalDeviceFeatures2(physical, &features);
	if (!robust) {
		features.features.robustBufferAccess = VK_FALSE;
		features13.robustImageAccess = VK_FALSE;
		robustness2.robustBufferAccess2 = robustness2.robustImageAccess2 = VK_FALSE;
	}
	features12.bufferDeviceAddressCaptureReplay = VK_FALSE;
	features12.bufferDeviceAddressMultiDevice = VK_FALSE;
}

static void find_queue_family(void) {
	VkQueueFamilyProperties families[16];
	uint32_t count = COUNT(families);
	vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
	for (queue_family = 0; queue_family < count; queue_family++)
		if (families[queue_family].queueFlags & VK_QUEUE_COMPUTE_BIT)
			return;
	printf("FAIL start: none of %u queue families computes\n", count);
	exit(1);
}

static void start_device(void) {
	float priorities[] = {1, 1};
	VkDeviceQueueCreateInfo queues = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = queue_family, .queueCount = queue_count, .pQueuePriorities = priorities};
	VkDeviceCreateInfo info = {
	    .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
	    .pNext = &features,
	    .queueCreateInfoCount = 1,
	    .pQueueCreateInfos = &queues,
	    .enabledExtensionCount = enabled_count,
	    .ppEnabledExtensionNames = enabled_extensions,
	};
	must(vkCreateDevice(physical, &info, NULL, &device));
	vkGetDeviceQueue(device, queue_family, 0, &queue);
	VkCommandPoolCreateInfo of_pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, .queueFamilyIndex = queue_family};
	must(vkCreateCommandPool(device, &of_pool, NULL, &pool));
}

// start makes the device, with those of the extensions, a list that ends with NULL, that it has.
static void start(int count, char **words, ...) {
	if (count > 1)
		module_folder = words[1];
	if (count > 2)
		picked = words[2];
	start_instance();
	va_list extensions;
	va_start(extensions, words);
	for (const char *e; (e = va_arg(extensions, const char *));)
		if (available(e))
			enabled_extensions[enabled_count++] = e;
	va_end(extensions);
	find_queue_family();
	chain_features();
	start_device();
}

static int stop(void) {
	begin_test("stop");
	vkDestroyCommandPool(device, pool, NULL);
	vkDestroyDevice(device, NULL);
	INSTANCE_FUNCTION(vkDestroyDebugUtilsMessengerEXT);
	vkDestroyDebugUtilsMessengerEXT(instance, messenger, NULL);
	vkDestroyInstance(instance, NULL);
	return faults + test_faults ? 1 : 0;
}

// Memory

// memory_type is the first type of those allowed that has the properties.
static uint32_t memory_type(uint32_t allowed, VkMemoryPropertyFlags wanted) {
	for (uint32_t i = 0; i < memory_properties.memoryTypeCount; i++)
		if ((allowed >> i & 1) && (memory_properties.memoryTypes[i].propertyFlags & wanted) == wanted)
			return i;
	printf("FAIL %s: no memory type of %#x has the properties %#x\n", test_name, allowed, wanted);
	exit(1);
}

static const VkMemoryPropertyFlags host_memory = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

static VkDeviceMemory allocate(VkMemoryRequirements needs, VkMemoryPropertyFlags wanted) {
	VkMemoryAllocateFlagsInfo addressed = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
	VkMemoryAllocateInfo info = {
	    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
	    .pNext = features12.bufferDeviceAddress ? &addressed : NULL,
	    .allocationSize = needs.size,
	    .memoryTypeIndex = memory_type(needs.memoryTypeBits, wanted),
	};
	VkDeviceMemory memory;
	must(vkAllocateMemory(device, &info, NULL, &memory));
	KEEP(MEMORY, memory);
	return memory;
}

typedef struct {
	VkBuffer buffer;
	VkDeviceMemory memory;
	VkDeviceSize size;
	VkDeviceAddress address; // 0 where the device has none
	union {                  // where the host sees it; NULL in the device's memory
		void *bytes;
		uint8_t *u8;
		uint16_t *u16;
		uint32_t *u32;
		int32_t *i32;
		uint64_t *u64;
		float *f32;
		double *f64;
	};
} buffer;

static const VkBufferUsageFlags any_usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                                            VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
                                            VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;

static buffer buffer_with(const void *next, VkBufferUsageFlags usage, VkDeviceSize size, VkMemoryPropertyFlags wanted) {
	buffer b = {.size = size};
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = next, .size = size, .usage = usage};
	if (features12.bufferDeviceAddress)
		info.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
	must(vkCreateBuffer(device, &info, NULL, &b.buffer));
	VkMemoryRequirements needs;
	vkGetBufferMemoryRequirements(device, b.buffer, &needs);
	b.memory = allocate(needs, wanted);
	KEEP(BUFFER, b.buffer);
	must(vkBindBufferMemory(device, b.buffer, b.memory, 0));
	if (wanted & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) {
		must(vkMapMemory(device, b.memory, 0, VK_WHOLE_SIZE, 0, &b.bytes));
		memset(b.bytes, 0, size);
	}
	if (features12.bufferDeviceAddress)
		b.address = vkGetBufferDeviceAddress(device, &(VkBufferDeviceAddressInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = b.buffer});
	return b;
}

static buffer buffer_for(VkBufferUsageFlags usage, VkDeviceSize size, VkMemoryPropertyFlags wanted) { return buffer_with(NULL, usage, size, wanted); }

static buffer buffer_in(VkDeviceSize size, VkMemoryPropertyFlags wanted) { return buffer_for(any_usage, size, wanted); }

// host_buffer is a buffer of zeros that the host sees.
static buffer host_buffer(VkDeviceSize size) { return buffer_in(size, host_memory); }

// words_from is a buffer of 32-bit words that count up.
static buffer words_from(uint32_t first, uint32_t count) {
	buffer b = host_buffer(4 * (VkDeviceSize)count);
	for (uint32_t i = 0; i < count; i++)
		b.u32[i] = first + i;
	return b;
}

// Kernels

static uint32_t *module_words(const char *name, size_t *bytes) {
	char path[4096];
	snprintf(path, sizeof path, "%s/%s.spv", module_folder, name);
	FILE *f = fopen(path, "rb");
	if (!f) {
		printf("FAIL %s: no module %s\n", test_name, path);
		exit(1);
	}
	fseek(f, 0, SEEK_END);
	*bytes = (size_t)ftell(f);
	rewind(f);
	uint32_t *words = malloc(*bytes);
	if (fread(words, 1, *bytes, f) != *bytes)
		exit(1);
	fclose(f);
	return words;
}

static VkShaderModule module(const char *name) {
	VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
	uint32_t *words = module_words(name, &info.codeSize);
	info.pCode = words;
	VkShaderModule m;
	must(vkCreateShaderModule(device, &info, NULL, &m));
	KEEP(MODULE, m);
	free(words);
	return m;
}

static VkDescriptorType type_of(char letter) {
	switch (letter) {
	case 'b': return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
	case 'B': return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
	case 'u': return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
	case 'U': return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
	case 'i': return VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
	case 's': return VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
	case 'S': return VK_DESCRIPTOR_TYPE_SAMPLER;
	case 'v': return VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
	case 't': return VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
	case 'T': return VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
	}
	abort();
}

static VkDescriptorSetLayout set_layout_of(const VkDescriptorSetLayoutCreateInfo *info) {
	VkDescriptorSetLayout layout;
	must(vkCreateDescriptorSetLayout(device, info, NULL, &layout));
	KEEP(SET_LAYOUT, layout);
	return layout;
}

// set_layout has one binding a letter, see type_of.
static VkDescriptorSetLayout set_layout(const char *letters, VkDescriptorSetLayoutCreateFlags flags) {
	VkDescriptorSetLayoutBinding bindings[16] = {0};
	uint32_t n = (uint32_t)strlen(letters);
	for (uint32_t i = 0; i < n; i++)
		bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i, .descriptorType = type_of(letters[i]), .descriptorCount = 1, .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
	return set_layout_of(&(VkDescriptorSetLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .flags = flags, .bindingCount = n, .pBindings = bindings});
}

typedef struct {
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout;
	VkPipeline pipeline;
} kernel;

static VkPipelineLayout pipeline_layout(uint32_t sets, const VkDescriptorSetLayout *of_sets, uint32_t push_bytes) {
	VkPushConstantRange push = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = push_bytes};
	VkPipelineLayoutCreateInfo info = {
	    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
	    .setLayoutCount = sets,
	    .pSetLayouts = of_sets,
	    .pushConstantRangeCount = push_bytes > 0,
	    .pPushConstantRanges = &push,
	};
	VkPipelineLayout layout;
	must(vkCreatePipelineLayout(device, &info, NULL, &layout));
	KEEP(LAYOUT, layout);
	return layout;
}

static VkComputePipelineCreateInfo pipeline_info(const char *name, VkPipelineLayout layout, const VkSpecializationInfo *constants) {
	return (VkComputePipelineCreateInfo){
	    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
	    .layout = layout,
	    .stage = {
	        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
	        .stage = VK_SHADER_STAGE_COMPUTE_BIT,
	        .module = module(name),
	        .pName = "main",
	        .pSpecializationInfo = constants,
	    },
	};
}

static VkPipeline pipeline_of(const VkComputePipelineCreateInfo *info) {
	VkPipeline p;
	must(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, info, NULL, &p));
	KEEP(PIPELINE, p);
	return p;
}

// kernel_with is a compute pipeline of the module with one set, a binding a letter.
static kernel kernel_with(const char *name, const char *letters, uint32_t push_bytes, const VkSpecializationInfo *constants) {
	kernel k = {.set_layout = set_layout(letters, 0)};
	k.layout = pipeline_layout(1, &k.set_layout, push_bytes);
	VkComputePipelineCreateInfo info = pipeline_info(name, k.layout, constants);
	k.pipeline = pipeline_of(&info);
	return k;
}

static kernel kernel_of(const char *name, const char *letters, uint32_t push_bytes) { return kernel_with(name, letters, push_bytes, NULL); }

// Descriptors

static VkDescriptorPool descriptor_pool(uint32_t sets, VkDescriptorPoolCreateFlags flags) {
	VkDescriptorPoolSize sizes[12] = {0};
	uint32_t n = 0;
	for (const char *letter = "bBuUisSvtT"; *letter; letter++)
		sizes[n++] = (VkDescriptorPoolSize){.type = type_of(*letter), .descriptorCount = 16 * sets};
	VkDescriptorPoolInlineUniformBlockCreateInfo blocks = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO, .maxInlineUniformBlockBindings = sets};
	VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .flags = flags, .maxSets = sets, .poolSizeCount = n, .pPoolSizes = sizes};
	if (features13.inlineUniformBlock) {
		info.pNext = &blocks;
		sizes[n] = (VkDescriptorPoolSize){.type = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, .descriptorCount = 256 * sets};
		info.poolSizeCount++;
	}
	VkDescriptorPool p;
	must(vkCreateDescriptorPool(device, &info, NULL, &p));
	KEEP(DESCRIPTOR_POOL, p);
	return p;
}

static VkDescriptorSet set_from(VkDescriptorPool from, VkDescriptorSetLayout layout) {
	VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = from, .descriptorSetCount = 1, .pSetLayouts = &layout};
	VkDescriptorSet set;
	must(vkAllocateDescriptorSets(device, &info, &set));
	return set;
}

static void write_buffer(VkDescriptorSet set, uint32_t binding, uint32_t element, VkDescriptorType type, VkBuffer b, VkDeviceSize offset, VkDeviceSize range) {
	VkDescriptorBufferInfo info = {.buffer = b, .offset = offset, .range = range};
	VkWriteDescriptorSet write = {
	    .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
	    .dstSet = set,
	    .dstBinding = binding,
	    .dstArrayElement = element,
	    .descriptorCount = 1,
	    .descriptorType = type,
	    .pBufferInfo = &info,
	};
	vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
}

// set_with is a set of storage buffers, in the order of the kernel's bindings; a list that ends with NULL.
static VkDescriptorSet set_with(VkDescriptorSetLayout layout, ...) {
	VkDescriptorSet set = set_from(descriptor_pool(1, 0), layout);
	va_list buffers;
	va_start(buffers, layout);
	uint32_t binding = 0;
	for (const buffer *b; (b = va_arg(buffers, const buffer *));)
		write_buffer(set, binding++, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, b->buffer, 0, VK_WHOLE_SIZE);
	va_end(buffers);
	return set;
}

// Commands

static VkCommandBuffer command_buffer(VkCommandBufferLevel level) {
	VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .level = level, .commandBufferCount = 1};
	VkCommandBuffer c;
	must(vkAllocateCommandBuffers(device, &info, &c));
	return c;
}

static VkCommandBuffer begin(void) {
	VkCommandBuffer c = command_buffer(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
	VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	must(vkBeginCommandBuffer(c, &info));
	return c;
}

static void submit_to(VkQueue to, VkCommandBuffer c) {
	VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c};
	must(vkQueueSubmit(to, 1, &info, VK_NULL_HANDLE));
	must(vkQueueWaitIdle(to));
}

// all_seen makes what commands wrote visible to those that follow, and to the host.
static void all_seen(VkCommandBuffer c) {
	VkMemoryBarrier barrier = {
	    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
	    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
	    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
	};
	vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
}

// finish ends the commands, runs them and waits.
static void finish(VkCommandBuffer c) {
	all_seen(c);
	must(vkEndCommandBuffer(c));
	submit_to(queue, c);
}

static void bind(VkCommandBuffer c, kernel k, VkDescriptorSet set) {
	vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, k.pipeline);
	if (set)
		vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, k.layout, 0, 1, &set, 0, NULL);
}

static void push(VkCommandBuffer c, kernel k, const void *bytes, uint32_t size) { vkCmdPushConstants(c, k.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, size, bytes); }

// run dispatches the kernel once, with push constants or without, and waits.
static void run(kernel k, VkDescriptorSet set, const void *constants, uint32_t size, uint32_t groups) {
	VkCommandBuffer c = begin();
	bind(c, k, set);
	if (size)
		push(c, k, constants, size);
	vkCmdDispatch(c, groups, 1, 1);
	finish(c);
}

#pragma GCC diagnostic pop
#endif
