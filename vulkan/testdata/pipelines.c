// Pipelines: caches, several at once, executables' properties.
#include "vk.h"

static VkPipelineCache cache_of(const void *bytes, size_t size) {
	VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, .initialDataSize = size, .pInitialData = bytes};
	VkPipelineCache c;
	must(vkCreatePipelineCache(device, &info, NULL, &c));
	KEEP(CACHE, c);
	return c;
}

static VkComputePipelineCreateInfo add_info(kernel *k) {
	k->set_layout = set_layout("b", 0);
	k->layout = pipeline_layout(1, &k->set_layout, 8);
	return pipeline_info("add", k->layout, NULL);
}

static void check_add(kernel k) {
	buffer data = words_from(0, 64);
	uint32_t constants[] = {3, 2};
	run(k, set_with(k.set_layout, &data, NULL), constants, 8, 1);
	for (uint32_t i = 0; i < 64; i++)
		same("word", i, data.u32[i], 3 * i + 2);
}

static void cached(void) {
	kernel k;
	VkComputePipelineCreateInfo info = add_info(&k);
	VkPipelineCache first = cache_of(NULL, 0);
	must(vkCreateComputePipelines(device, first, 1, &info, NULL, &k.pipeline));
	KEEP(PIPELINE, k.pipeline);
	size_t size = 0;
	gives(VK_SUCCESS, vkGetPipelineCacheData(device, first, &size, NULL));
	check(size >= sizeof(VkPipelineCacheHeaderVersionOne), "%zu bytes of cache, want a header of %zu", size, sizeof(VkPipelineCacheHeaderVersionOne));
	VkPipelineCacheHeaderVersionOne *bytes = calloc(1, size);
	gives(VK_SUCCESS, vkGetPipelineCacheData(device, first, &size, bytes));
	same("size of the header", 0, bytes->headerSize, sizeof *bytes);
	same("version of the header", 0, bytes->headerVersion, VK_PIPELINE_CACHE_HEADER_VERSION_ONE);
	same("vendor", 0, bytes->vendorID, properties.vendorID);
	same("device", 0, bytes->deviceID, properties.deviceID);
	check(!memcmp(bytes->pipelineCacheUUID, properties.pipelineCacheUUID, VK_UUID_SIZE), "the cache is not of the device's UUID");
	VkPipelineCache second = cache_of(bytes, size), third = cache_of(NULL, 0);
	gives(VK_SUCCESS, vkMergePipelineCaches(device, third, 2, (VkPipelineCache[]){first, second}));
	must(vkCreateComputePipelines(device, third, 1, &info, NULL, &k.pipeline));
	KEEP(PIPELINE, k.pipeline);
	check_add(k);
	free(bytes);
}

// Bytes that are no cache make an empty one.
static void damaged_cache(void) {
	uint8_t bytes[200];
	memset(bytes, 0x5a, sizeof bytes);
	kernel k;
	VkComputePipelineCreateInfo info = add_info(&k);
	for (size_t size = 0; size <= sizeof bytes; size += 40) {
		must(vkCreateComputePipelines(device, cache_of(bytes, size), 1, &info, NULL, &k.pipeline));
		KEEP(PIPELINE, k.pipeline);
	}
	size_t small = 20, whole = 0;
	VkPipelineCache c = cache_of(NULL, 0);
	gives(VK_SUCCESS, vkGetPipelineCacheData(device, c, &whole, NULL));
	gives(VK_INCOMPLETE, vkGetPipelineCacheData(device, c, &small, bytes));
	check_add(k);
}

// made_from makes the pipeline with a cache, and says whether that had it.
static bool made_from(VkPipelineCache c, VkComputePipelineCreateInfo info, kernel *k) {
	VkPipelineCreationFeedback whole = {0}, stage = {0};
	VkPipelineCreationFeedbackCreateInfo wants = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO, .pPipelineCreationFeedback = &whole, .pipelineStageCreationFeedbackCount = 1, .pPipelineStageCreationFeedbacks = &stage};
	info.pNext = &wants;
	must(vkCreateComputePipelines(device, c, 1, &info, NULL, &k->pipeline));
	KEEP(PIPELINE, k->pipeline);
	check_add(*k);
	bool may_be_silent = properties.vendorID != 0xFFFF; // Mesa's driver says nothing of the stage
	check(!(whole.flags & VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT) || whole.flags == stage.flags || (may_be_silent && !stage.flags), "feedback %#x of the pipeline, %#x of its stage", whole.flags, stage.flags);
	return whole.flags & VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT;
}

// The data of a cache makes a cache that has the same pipelines; a part of it, or data that was changed, has none that are wrong.
static void round_trip(void) {
	kernel k;
	VkComputePipelineCreateInfo info = add_info(&k);
	VkPipelineCache first = cache_of(NULL, 0);
	made_from(first, info, &k);
	size_t size = 0, part;
	gives(VK_SUCCESS, vkGetPipelineCacheData(device, first, &size, NULL));
	uint8_t *bytes = calloc(1, size);
	gives(VK_SUCCESS, vkGetPipelineCacheData(device, first, &size, bytes));
	bool kept = size > sizeof(VkPipelineCacheHeaderVersionOne);
	VkPipelineCache merged = cache_of(NULL, 0);
	gives(VK_SUCCESS, vkMergePipelineCaches(device, merged, 1, (VkPipelineCache[]){cache_of(bytes, size)}));
	check(made_from(merged, info, &k) == kept, "a cache from %zu bytes has no pipeline", size);
	check(!made_from(cache_of(NULL, 0), info, &k), "an empty cache has a pipeline");
	part = size - 1;
	uint8_t *less = calloc(1, size);
	check(vkGetPipelineCacheData(device, first, &part, less) == VK_INCOMPLETE || !kept, "%zu bytes for a cache of %zu are enough", size - 1, size);
	made_from(cache_of(less, part), info, &k);
	for (size_t i = sizeof(VkPipelineCacheHeaderVersionOne); i < size; i += 37) {
		bytes[i] ^= 0x41;
		made_from(cache_of(bytes, size), info, &k);
		made_from(cache_of(bytes, i), info, &k);
		bytes[i] ^= 0x41;
	}
	free(bytes);
	free(less);
}

static void several(void) {
	uint32_t sizes[3][2] = {{4, 4}, {32, 1}, {1, 7}};
	VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}};
	if (!features.features.shaderFloat64)
		return skip("shaderFloat64");
	VkSpecializationInfo constants[3];
	VkComputePipelineCreateInfo infos[3];
	VkPipeline pipelines[3];
	kernel k = {.set_layout = set_layout("b", 0)};
	k.layout = pipeline_layout(1, &k.set_layout, 0);
	for (int i = 0; i < 3; i++) {
		constants[i] = (VkSpecializationInfo){2, entries, 8, sizes[i]};
		infos[i] = pipeline_info("constants", k.layout, constants + i);
	}
	must(vkCreateComputePipelines(device, VK_NULL_HANDLE, 3, infos, NULL, pipelines));
	for (int i = 0; i < 3; i++)
		KEEP(PIPELINE, pipelines[i]);
	for (int i = 0; i < 3; i++) {
		k.pipeline = pipelines[i];
		buffer out = host_buffer(36);
		run(k, set_with(k.set_layout, &out, NULL), NULL, 0, 1);
		check(out.f32[0] == (float)sizes[i][0] && out.f32[1] == (float)sizes[i][1], "pipeline %d has workgroups of %g x %g", i, (double)out.f32[0], (double)out.f32[1]);
	}
}

// The module may go as soon as its pipeline is made.
static void module_gone(void) {
	kernel k;
	VkComputePipelineCreateInfo info = add_info(&k);
	size_t bytes;
	uint32_t *code = module_words("add", &bytes);
	VkShaderModule short_lived;
	must(vkCreateShaderModule(device, &(VkShaderModuleCreateInfo){.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = code}, NULL, &short_lived));
	free(code);
	info.stage.module = short_lived;
	k.pipeline = pipeline_of(&info);
	vkDestroyShaderModule(device, short_lived, NULL);
	check_add(k);
}

static void feedback(void) {
	kernel k;
	VkComputePipelineCreateInfo info = add_info(&k);
	VkPipelineCreationFeedback whole = {0}, stage = {0};
	VkPipelineCreationFeedbackCreateInfo wants = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO, .pPipelineCreationFeedback = &whole, .pipelineStageCreationFeedbackCount = 1, .pPipelineStageCreationFeedbacks = &stage};
	info.pNext = &wants;
	k.pipeline = pipeline_of(&info);
	check_add(k);
}

static void executables(void) {
	if (!executable_features.pipelineExecutableInfo)
		return skip("pipelineExecutableInfo");
	DEVICE_FUNCTION(vkGetPipelineExecutablePropertiesKHR);
	DEVICE_FUNCTION(vkGetPipelineExecutableStatisticsKHR);
	DEVICE_FUNCTION(vkGetPipelineExecutableInternalRepresentationsKHR);
	kernel k;
	VkComputePipelineCreateInfo info = add_info(&k);
	info.flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR | VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;
	k.pipeline = pipeline_of(&info);
	VkPipelineExecutablePropertiesKHR executable[4];
	for (int i = 0; i < 4; i++)
		executable[i] = (VkPipelineExecutablePropertiesKHR){.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR};
	uint32_t n = 4;
	gives(VK_SUCCESS, vkGetPipelineExecutablePropertiesKHR(device, &(VkPipelineInfoKHR){.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, .pipeline = k.pipeline}, &n, executable));
	same("executables", 0, n, 1);
	check(executable[0].stages == VK_SHADER_STAGE_COMPUTE_BIT && executable[0].subgroupSize > 0 && executable[0].name[0], "executable %s of the stages %#x with subgroups of %u", executable[0].name, executable[0].stages, executable[0].subgroupSize);
	VkPipelineExecutableInfoKHR first = {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, .pipeline = k.pipeline};
	n = 0;
	gives(VK_SUCCESS, vkGetPipelineExecutableStatisticsKHR(device, &first, &n, NULL));
	check(n > 0, "no statistics");
	VkPipelineExecutableStatisticKHR *statistics = calloc(n, sizeof *statistics);
	for (uint32_t i = 0; i < n; i++)
		statistics[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
	gives(VK_SUCCESS, vkGetPipelineExecutableStatisticsKHR(device, &first, &n, statistics));
	for (uint32_t i = 0; i < n; i++)
		check(statistics[i].name[0] && statistics[i].description[0], "statistic %u has no name or no description", i);
	free(statistics);
	VkPipelineExecutableInternalRepresentationKHR text[4];
	for (int i = 0; i < 4; i++)
		text[i] = (VkPipelineExecutableInternalRepresentationKHR){.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR};
	n = 4;
	gives(VK_SUCCESS, vkGetPipelineExecutableInternalRepresentationsKHR(device, &first, &n, text));
	check(n > 0 && text[0].dataSize > 0, "%u listings, the first of %zu bytes", n, text[0].dataSize);
	text[0].pData = calloc(1, text[0].dataSize + 1);
	gives(VK_SUCCESS, vkGetPipelineExecutableInternalRepresentationsKHR(device, &first, &n, text));
	check(!text[0].isText || strlen(text[0].pData) + 1 == text[0].dataSize, "a text of %zu bytes has %zu letters", text[0].dataSize, strlen(text[0].pData));
	free(text[0].pData);
}

// Behind a pipeline that may not be compiled and whose failure ends the call, none is made.
static void early_return(void) {
	if (!features13.pipelineCreationCacheControl)
		return skip("pipelineCreationCacheControl");
	kernel k;
	VkComputePipelineCreateInfo infos[2] = {add_info(&k), add_info(&k)};
	uint32_t value = 77; // so that no pipeline of another test is this one
	VkSpecializationMapEntry entry = {99, 0, 4};
	VkSpecializationInfo constants = {1, &entry, 4, &value};
	infos[0].stage.pSpecializationInfo = &constants;
	for (int early = 0; early < 2; early++) {
		infos[0].flags = VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT | (early ? VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT : 0);
		VkPipeline made[2] = {VK_NULL_HANDLE, VK_NULL_HANDLE};
		VkResult result = vkCreateComputePipelines(device, VK_NULL_HANDLE, 2, infos, NULL, made);
		for (int i = 0; i < 2; i++)
			if (made[i])
				KEEP(PIPELINE, made[i]);
		if (result == VK_SUCCESS)
			continue; // the device needed no compilation
		check(result == VK_PIPELINE_COMPILE_REQUIRED, "it gave %d, want VK_PIPELINE_COMPILE_REQUIRED", result);
		check(!made[0] && (made[1] != VK_NULL_HANDLE) == !early, "the first is %s, the second %s", made[0] ? "made" : "not made", made[1] ? "made" : "not made");
	}
}

int main(int count, char **words) {
	start(count, words, VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME, NULL);
	TEST(cached);
	TEST(damaged_cache);
	TEST(round_trip);
	TEST(several);
	TEST(module_gone);
	TEST(feedback);
	TEST(executables);
	TEST(early_return);
	return stop();
}
