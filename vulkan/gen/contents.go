package main

// versions are the core parts that the driver supports: all of them up to 1.3. Their graphics commands fail by name, as
// no queue supports them.
var versions = []string{
	"VK_BASE_VERSION_1_0", "VK_COMPUTE_VERSION_1_0", "VK_GRAPHICS_VERSION_1_0", "VK_VERSION_1_0",
	"VK_BASE_VERSION_1_1", "VK_COMPUTE_VERSION_1_1", "VK_GRAPHICS_VERSION_1_1", "VK_VERSION_1_1",
	"VK_BASE_VERSION_1_2", "VK_COMPUTE_VERSION_1_2", "VK_GRAPHICS_VERSION_1_2", "VK_VERSION_1_2",
	"VK_BASE_VERSION_1_3", "VK_COMPUTE_VERSION_1_3", "VK_GRAPHICS_VERSION_1_3", "VK_VERSION_1_3",
}

// extensions are the extensions that the driver reports.
var extensions = []string{
	"VK_KHR_device_group_creation", "VK_KHR_external_fence_capabilities", "VK_KHR_external_memory_capabilities",
	"VK_KHR_external_semaphore_capabilities", "VK_KHR_get_physical_device_properties2", "VK_EXT_debug_utils",

	"VK_KHR_16bit_storage", "VK_KHR_8bit_storage", "VK_KHR_bind_memory2", "VK_KHR_buffer_device_address",
	"VK_KHR_cooperative_matrix", "VK_KHR_copy_commands2", "VK_KHR_dedicated_allocation", "VK_KHR_descriptor_update_template", "VK_KHR_device_group",
	"VK_KHR_driver_properties", "VK_KHR_external_memory", "VK_KHR_format_feature_flags2", "VK_KHR_get_memory_requirements2", "VK_KHR_global_priority",
	"VK_KHR_image_format_list", "VK_KHR_maintenance1", "VK_KHR_maintenance2", "VK_KHR_maintenance3", "VK_KHR_maintenance4",
	"VK_KHR_push_descriptor", "VK_KHR_relaxed_block_layout", "VK_KHR_sampler_mirror_clamp_to_edge", "VK_KHR_shader_atomic_int64", "VK_KHR_shader_clock",
	"VK_KHR_shader_expect_assume", "VK_KHR_shader_float16_int8", "VK_KHR_shader_float_controls",
	"VK_KHR_shader_integer_dot_product", "VK_KHR_shader_maximal_reconvergence", "VK_KHR_shader_non_semantic_info",
	"VK_KHR_shader_quad_control", "VK_KHR_shader_subgroup_extended_types", "VK_KHR_shader_subgroup_rotate",
	"VK_KHR_shader_subgroup_uniform_control_flow", "VK_KHR_shader_terminate_invocation", "VK_KHR_shader_untyped_pointers", "VK_KHR_spirv_1_4",
	"VK_KHR_storage_buffer_storage_class", "VK_KHR_synchronization2", "VK_KHR_timeline_semaphore",
	"VK_KHR_uniform_buffer_standard_layout", "VK_KHR_variable_pointers", "VK_KHR_vulkan_memory_model",
	"VK_KHR_workgroup_memory_explicit_layout", "VK_KHR_zero_initialize_workgroup_memory",

	"VK_EXT_descriptor_indexing", "VK_EXT_external_memory_host", "VK_EXT_global_priority", "VK_EXT_global_priority_query", "VK_EXT_host_query_reset", "VK_EXT_image_robustness",
	"VK_EXT_inline_uniform_block", "VK_EXT_memory_budget", "VK_EXT_pipeline_creation_cache_control",
	"VK_EXT_pipeline_creation_feedback", "VK_EXT_private_data", "VK_EXT_robustness2", "VK_EXT_scalar_block_layout",
	"VK_EXT_shader_atomic_float", "VK_EXT_shader_atomic_float2", "VK_EXT_shader_image_atomic_int64", "VK_EXT_shader_subgroup_ballot",
	"VK_EXT_shader_subgroup_vote", "VK_EXT_subgroup_size_control", "VK_EXT_texel_buffer_alignment", "VK_EXT_tooling_info",

	"VK_EXT_calibrated_timestamps", "VK_KHR_calibrated_timestamps", "VK_KHR_maintenance5",
	"VK_KHR_performance_query", "VK_KHR_pipeline_executable_properties", "VK_KHR_pipeline_library",

	"VK_EXT_physical_device_drm", "VK_KHR_external_memory_fd",

	"VK_EXT_device_generated_commands",

	"VK_AMDX_shader_enqueue", "VK_AMD_gcn_shader", "VK_AMD_shader_ballot",
}
