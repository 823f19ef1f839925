// Compiles one compute pipeline with the Vulkan driver and prints what its compiler made: statistics, then the disassembly.
// Mesa's RADV does so without a GPU where RADV_FORCE_FAMILY names a chip. The pipeline comes as words on standard input:
//
//	module FILE             entry NAME               subgroup LANES (0: the driver's choice)
//	push BYTES              spec ID BYTES VALUE      binding SET BINDING TYPE COUNT (TYPE as VkDescriptorType)
//
// sets and specialization constants in ascending order of set. Exit status 3: there is no device.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define MOST 256

static char module_file[4096], entry[4096];
static unsigned subgroup, push_bytes, sets;
static VkDescriptorSetLayoutBinding bindings[MOST];
static unsigned set_of[MOST], binding_count;
static VkSpecializationMapEntry map[MOST];
static uint64_t constants[MOST];
static unsigned constant_count;

static void check(VkResult r, const char *what) {
	if (r == VK_SUCCESS)
		return;
	fprintf(stderr, "%s: VkResult %d\n", what, r);
	exit(1);
}

static int room(unsigned n, const char *what) {
	if (n < MOST)
		return 1;
	fprintf(stderr, "more than %d %s\n", MOST, what);
	exit(1);
}

static void read_binding(void) {
	unsigned set, binding, type, count;
	if (scanf("%u %u %u %u", &set, &binding, &type, &count) != 4 || !room(binding_count, "bindings"))
		exit(2);
	set_of[binding_count] = set;
	if (set + 1 > sets)
		sets = set + 1;
	bindings[binding_count++] = (VkDescriptorSetLayoutBinding){binding, type, count, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
}

static void read_constant(void) {
	unsigned id, bytes;
	unsigned long long value;
	if (scanf("%u %u %llu", &id, &bytes, &value) != 3 || !room(constant_count, "constants"))
		exit(2);
	constants[constant_count] = value;
	map[constant_count] = (VkSpecializationMapEntry){id, constant_count * sizeof constants[0], bytes};
	constant_count++;
}

static void read_request(void) {
	char word[16];
	while (scanf("%15s", word) == 1) {
		int ok = 1;
		if (!strcmp(word, "module"))
			ok = scanf(" %4095[^\n]", module_file);
		else if (!strcmp(word, "entry"))
			ok = scanf(" %4095[^\n]", entry);
		else if (!strcmp(word, "subgroup"))
			ok = scanf("%u", &subgroup);
		else if (!strcmp(word, "push"))
			ok = scanf("%u", &push_bytes);
		else if (!strcmp(word, "binding"))
			read_binding();
		else if (!strcmp(word, "spec"))
			read_constant();
		else
			ok = 0;
		if (ok != 1) {
			fprintf(stderr, "the request has %s\n", word);
			exit(2);
		}
	}
}

static VkPhysicalDevice physical(void) {
	VkApplicationInfo app = {VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
	VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
	VkInstance instance;
	VkPhysicalDevice device;
	uint32_t n = 1;
	if (vkCreateInstance(&info, NULL, &instance) != VK_SUCCESS || vkEnumeratePhysicalDevices(instance, &n, &device) < 0 || n == 0) {
		fprintf(stderr, "there is no device\n");
		exit(3);
	}
	return device;
}

// open_device makes a device with every feature and extension that it has.
static VkDevice open_device(VkPhysicalDevice from) {
	VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR look = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR};
	VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomics = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT, &look};
	VkPhysicalDeviceShaderClockFeaturesKHR clock = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR, &atomics};
	VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR layout = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR, &clock};
	VkPhysicalDeviceVulkan13Features v13 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, &layout};
	VkPhysicalDeviceVulkan12Features v12 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &v13};
	VkPhysicalDeviceVulkan11Features v11 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &v12};
	VkPhysicalDeviceFeatures2 features = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v11};
	vkGetPhysicalDeviceFeatures2(from, &features);
	features.features.robustBufferAccess = 0;
	uint32_t n = 0;
	vkEnumerateDeviceExtensionProperties(from, NULL, &n, NULL);
	VkExtensionProperties *have = calloc(n, sizeof *have);
	vkEnumerateDeviceExtensionProperties(from, NULL, &n, have);
	const char **names = calloc(n, sizeof *names);
	for (uint32_t i = 0; i < n; i++)
		names[i] = have[i].extensionName;
	float priority = 1;
	VkDeviceQueueCreateInfo queue = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
	VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue,
		.enabledExtensionCount = n, .ppEnabledExtensionNames = names};
	VkDevice device;
	check(vkCreateDevice(from, &info, NULL, &device), "vkCreateDevice");
	return device;
}

static VkPipelineLayout make_layout(VkDevice device) {
	VkDescriptorSetLayout layouts[MOST];
	VkDescriptorSetLayoutBinding list[MOST];
	if (!room(sets, "sets") || sets == MOST)
		exit(1);
	for (unsigned s = 0; s < sets; s++) {
		unsigned n = 0;
		for (unsigned i = 0; i < binding_count; i++)
			if (set_of[i] == s)
				list[n++] = bindings[i];
		VkDescriptorSetLayoutCreateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = n, .pBindings = list};
		check(vkCreateDescriptorSetLayout(device, &info, NULL, &layouts[s]), "vkCreateDescriptorSetLayout");
	}
	VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes};
	VkPipelineLayoutCreateInfo info = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = sets, .pSetLayouts = layouts,
		.pushConstantRangeCount = push_bytes > 0, .pPushConstantRanges = &range};
	VkPipelineLayout made;
	check(vkCreatePipelineLayout(device, &info, NULL, &made), "vkCreatePipelineLayout");
	return made;
}

static VkShaderModule load_module(VkDevice device) {
	FILE *f = fopen(module_file, "rb");
	if (!f) {
		perror(module_file);
		exit(1);
	}
	fseek(f, 0, SEEK_END);
	long n = ftell(f);
	rewind(f);
	uint32_t *words = malloc(n);
	if (fread(words, 1, n, f) != (size_t)n)
		exit(1);
	VkShaderModuleCreateInfo info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = n, .pCode = words};
	VkShaderModule made;
	check(vkCreateShaderModule(device, &info, NULL, &made), "vkCreateShaderModule");
	return made;
}

static VkPipeline compile(VkDevice device) {
	VkSpecializationInfo special = {constant_count, map, sizeof constants, constants};
	VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, NULL, subgroup};
	VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR | VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR,
		.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, subgroup ? &size : NULL, 0, VK_SHADER_STAGE_COMPUTE_BIT, load_module(device), entry, &special},
		.layout = make_layout(device)};
	VkPipeline made;
	check(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &made), "vkCreateComputePipelines");
	return made;
}

static void print_statistics(VkDevice device, VkPipelineExecutableInfoKHR *of) {
	PFN_vkGetPipelineExecutableStatisticsKHR get = (void *)vkGetDeviceProcAddr(device, "vkGetPipelineExecutableStatisticsKHR");
	VkPipelineExecutableStatisticKHR list[64] = {0};
	uint32_t n = 64;
	for (int i = 0; i < 64; i++)
		list[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
	check(get(device, of, &n, list), "vkGetPipelineExecutableStatisticsKHR");
	for (uint32_t i = 0; i < n; i++)
		printf("%s: %llu\n", list[i].name, (unsigned long long)list[i].value.u64);
}

static void print_assembly(VkDevice device, VkPipelineExecutableInfoKHR *of) {
	PFN_vkGetPipelineExecutableInternalRepresentationsKHR get = (void *)vkGetDeviceProcAddr(device, "vkGetPipelineExecutableInternalRepresentationsKHR");
	uint32_t n = 0;
	get(device, of, &n, NULL);
	VkPipelineExecutableInternalRepresentationKHR *list = calloc(n, sizeof *list);
	for (uint32_t i = 0; i < n; i++)
		list[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR;
	get(device, of, &n, list); // the sizes
	for (uint32_t i = 0; i < n; i++)
		list[i].pData = malloc(list[i].dataSize + 1);
	get(device, of, &n, list);
	for (uint32_t i = 0; i < n; i++)
		if (strstr(list[i].name, "ssembly"))
			printf("assembly\n%.*s\n", (int)list[i].dataSize, (char *)list[i].pData);
}

int main(void) {
	read_request();
	VkDevice device = open_device(physical());
	VkPipelineExecutableInfoKHR of = {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, .pipeline = compile(device)};
	print_statistics(device, &of);
	print_assembly(device, &of);
	return 0;
}
