// Subgroup operations, for each size of a subgroup that a pipeline can ask for.
#include "vk.h"

enum { N = 128 };
static VkPhysicalDeviceVulkan11Properties properties11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES};
static VkPhysicalDeviceVulkan13Properties properties13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};

static kernel sized(const char *module_name, uint32_t which, uint32_t size) {
	VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, .requiredSubgroupSize = size};
	VkSpecializationMapEntry entry = {0, 0, 4};
	VkSpecializationInfo constants = {1, &entry, 4, &which};
	kernel k = {.set_layout = set_layout("bb", 0)};
	k.layout = pipeline_layout(1, &k.set_layout, 0);
	VkComputePipelineCreateInfo info = pipeline_info(module_name, k.layout, &constants);
	if (size) {
		info.stage.pNext = &required;
		if (features13.computeFullSubgroups && N % size == 0)
			info.stage.flags |= VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
	}
	k.pipeline = pipeline_of(&info);
	return k;
}

// rows runs one group of operations.
static buffer rows(const buffer *given, uint32_t which, uint32_t size) {
	kernel k = sized("subgroup", which, size);
	buffer out = host_buffer(16 * N);
	run(k, set_with(k.set_layout, given, &out, NULL), NULL, 0, 1);
	return out;
}

static void row(const char *what, const buffer *out, uint32_t i, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
	uint32_t want[] = {a, b, c, d}, *found = out->u32 + 4 * i;
	for (uint32_t j = 0; j < 4; j++)
		check(found[j] == want[j], "%s, invocation %u: column %u = %u, want %u", what, i, j, found[j], want[j]);
}

#define EACH(i) for (uint32_t i = 0; i < N; i++)
#define FIRST(i) ((i) / size * size)

static void sums(const buffer *given, const buffer *out, uint32_t size) {
	EACH(i) {
		uint32_t all = 0, before = 0, most = 0;
		for (uint32_t j = FIRST(i); j < FIRST(i) + size; j++) {
			all += given->u32[j];
			before += j < i ? given->u32[j] : 0;
			most = given->u32[j] > most ? given->u32[j] : most;
		}
		row("arithmetic", out, i, all, before + given->u32[i], before, most);
	}
}

static void ballots(const buffer *given, const buffer *out, uint32_t size) {
	EACH(i) {
		uint32_t odd = 0, before = 0, last = 0;
		for (uint32_t j = FIRST(i); j < FIRST(i) + size; j++)
			if (given->u32[j] & 1)
				odd++, before += j < i, last = j % size;
		row("ballot", out, i, odd, before, last, given->u32[FIRST(i) + 3]);
	}
}

// Shuffles from outside the subgroup have no defined value: those columns are taken from what was found.
static void shuffles(const buffer *given, const buffer *out, uint32_t size) {
	EACH(i) {
		uint32_t me = i % size, f = FIRST(i), *v = given->u32, *found = out->u32 + 4 * i;
		row("shuffle", out, i, v[f + size - 1 - me], (me ^ 5) < size ? v[f + (me ^ 5)] : found[1], me ? v[i - 1] : found[2], me + 2 < size ? v[i + 2] : found[3]);
	}
}

static void some(const buffer *given, const buffer *out, uint32_t size) {
	EACH(i) {
		if (given->u32[i] & 1) {
			row("inactive", out, i, 0, 0, 0, 0);
			continue;
		}
		uint32_t sum = 0, first = UINT32_MAX, active = 0, least = UINT32_MAX;
		for (uint32_t j = FIRST(i); j < FIRST(i) + size; j++) {
			uint32_t v = given->u32[j];
			if (v & 1)
				continue;
			sum += v, active++;
			first = first == UINT32_MAX ? v : first;
			least = v < least ? v : least;
		}
		row("active ones", out, i, sum, first, active, least);
	}
}

static void of_size(uint32_t required) {
	buffer given = host_buffer(4 * N);
	EACH(i) given.u32[i] = (i * 7919 + 13) % 997;
	buffer basic = rows(&given, 0, required);
	uint32_t size = required ? required : basic.u32[0], *v = given.u32;
	check(size >= properties13.minSubgroupSize && size <= properties13.maxSubgroupSize && N % size == 0, "subgroups of %u", size);
	EACH(i) row("basic", &basic, i, size, i % size, i / size, N / size + (i % size == 0 ? 1000 : 0));
	buffer vote = rows(&given, 1, required), quad = rows(&given, 5, required);
	buffer sum = rows(&given, 2, required), ballot = rows(&given, 3, required), shuffle = rows(&given, 4, required), active = rows(&given, 6, required);
	EACH(i) row("vote", &vote, i, 1, i < size, size == 1, 1);
	EACH(i) row("quad", &quad, i, v[(i & ~3u) + 2], v[i ^ 1], v[i ^ 2], v[i ^ 3]);
	sums(&given, &sum, size);
	ballots(&given, &ballot, size);
	shuffles(&given, &shuffle, size);
	some(&given, &active, size);
}

static bool all_operations(void) {
	VkSubgroupFeatureFlags wanted = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT |
	                                VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT | VK_SUBGROUP_FEATURE_QUAD_BIT;
	return (properties11.subgroupSupportedOperations & wanted) == wanted;
}

static void of_default_size(void) {
	if (!all_operations())
		return skip("subgroup operations of every kind");
	of_size(0);
}

static void of_each_size(void) {
	if (!all_operations() || !features13.subgroupSizeControl || !(properties13.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT))
		return skip("subgroupSizeControl with subgroup operations of every kind");
	for (uint32_t size = properties13.minSubgroupSize; size <= properties13.maxSubgroupSize && size <= N; size *= 2)
		of_size(size);
}

static void clustered(void) {
	if (!(properties11.subgroupSupportedOperations & VK_SUBGROUP_FEATURE_CLUSTERED_BIT))
		return skip("clustered subgroup operations");
	kernel k = kernel_of("clustered", "bb", 0);
	buffer given = words_from(5, 64), out = host_buffer(8 * 64);
	run(k, set_with(k.set_layout, &given, &out, NULL), NULL, 0, 1);
	for (uint32_t i = 0; i < 64; i++) {
		uint32_t f = i & ~3u;
		same("sum of four", i, out.u32[2 * i], 4 * (5 + f) + 6);
		same("greatest of two", i, out.u32[2 * i + 1], 5 + (i | 1));
	}
}

int main(int count, char **words) {
	start(count, words, NULL);
	properties11.pNext = &properties13;
	VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &properties11};
	vkGetPhysicalDeviceProperties2(physical, &all);
	TEST(of_default_size);
	TEST(of_each_size);
	TEST(clustered);
	return stop();
}
