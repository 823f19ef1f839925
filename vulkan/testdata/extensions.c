// Extensions at the simulator's centre: workgroup memory with explicit layout, AMD's lane operations, quads, pointers without a type.
#include <math.h>
#include "vk.h"

static void workgroup_layout(void) {
	if (!explicit_layout.workgroupMemoryExplicitLayout)
		return skip("workgroupMemoryExplicitLayout");
	kernel k = kernel_of("explicit", "b", 0);
	buffer out = host_buffer(256);
	run(k, set_with(k.set_layout, &out, NULL), NULL, 0, 1);
	for (uint32_t i = 0; i < 64; i++)
		same("word", i, out.u32[i], 1000 + (i ^ 1));
}

static void lanes(void) {
	if (!has(VK_AMD_SHADER_BALLOT_EXTENSION_NAME) || !has(VK_AMD_GCN_SHADER_EXTENSION_NAME))
		return skip("VK_AMD_shader_ballot with VK_AMD_gcn_shader");
	kernel k = kernel_of("amd", "b", 0);
	buffer out = host_buffer(64 * 32 + 4);
	run(k, set_with(k.set_layout, &out, NULL), NULL, 0, 1);
	VkPhysicalDeviceVulkan11Properties properties11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES};
	VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &properties11};
	vkGetPhysicalDeviceProperties2(physical, &all);
	uint32_t size = properties11.subgroupSize;
	for (uint32_t i = 0; i < 64; i++) {
		same("swizzle", i, out.u32[4 * i], i ^ 1);
		same("lanes before", i, out.u32[4 * i + 1], i % size);
		same("sum", i, out.u32[4 * i + 2], size);
		same("written", i, out.u32[4 * i + 3], i % size == 3 ? 9 : 7);
		const float *face = out.f32 + 256 + 4 * i, faces[] = {0, 3, 4};
		check(face[0] == faces[i % 3], "face[%u] = %g, want %g", i, (double)face[0], (double)faces[i % 3]);
		check(fabsf(face[1]) <= 1 && fabsf(face[2]) <= 1, "place on face[%u] = (%g, %g)", i, (double)face[1], (double)face[2]);
	}
	same("time grew", 0, out.u32[512], 1);
}

static void quads(void) {
	if (!quad_control.on[0] || !reconvergence.on[0])
		return skip("VK_KHR_shader_quad_control with VK_KHR_shader_maximal_reconvergence");
	kernel k = kernel_of("quads", "bb", 0);
	buffer in = host_buffer(256), out = host_buffer(256);
	for (uint32_t i = 0; i < 64; i++)
		in.u32[i] = i / 4 % 4 == 0 ? 1 : i / 4 % 4 == 1 ? 2 : i;
	run(k, set_with(k.set_layout, &in, &out, NULL), NULL, 0, 1);
	for (uint32_t i = 0; i < 64; i++)
		same("votes of the quad", i, out.u32[i], i / 4 % 4 == 0 ? 3 : i / 4 % 4 == 1 ? 0 : 1);
}

// An untyped pointer reads the same words as floats and as integers.
static void untyped(void) {
	if (!untyped_pointers.on[0])
		return skip("VK_KHR_shader_untyped_pointers");
	kernel k = kernel_of("untyped", "bb", 0);
	buffer in = host_buffer(256), out = host_buffer(512);
	for (uint32_t i = 0; i < 64; i++)
		in.f32[i] = i + 0.5f;
	run(k, set_with(k.set_layout, &in, &out, NULL), NULL, 0, 1);
	for (uint32_t i = 0; i < 64; i++) {
		same("word", i, out.u32[i], in.u32[i] + 1);
		check(out.f32[64 + i] == 2 * in.f32[i], "float[%u] = %g, want %g", i, (double)out.f32[64 + i], (double)(2 * in.f32[i]));
	}
}

int main(int count, char **words) {
	start(count, words, VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME, VK_AMD_SHADER_BALLOT_EXTENSION_NAME, VK_AMD_GCN_SHADER_EXTENSION_NAME, VK_KHR_QUAD_CONTROL_NAME, VK_KHR_RECONVERGENCE_NAME, VK_KHR_UNTYPED_NAME, NULL);
	TEST(workgroup_layout);
	TEST(lanes);
	TEST(quads);
	TEST(untyped);
	return stop();
}
