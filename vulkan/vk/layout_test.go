package vk_test

import (
	"testing"
	"unsafe"

	"spvsim/vulkan/vk"
)

// Structures are as large as C's on 64-bit machines (sizes that gcc gives for the headers of Vulkan 1.3).
func TestSizesAreThoseOfC(t *testing.T) {
	for _, s := range []struct {
		name      string
		got, want uintptr
	}{
		{"VkPhysicalDeviceProperties", unsafe.Sizeof(vk.PhysicalDeviceProperties{}), 824},
		{"VkPhysicalDeviceLimits", unsafe.Sizeof(vk.PhysicalDeviceLimits{}), 504},
		{"VkPhysicalDeviceMemoryProperties", unsafe.Sizeof(vk.PhysicalDeviceMemoryProperties{}), 520},
		{"VkComputePipelineCreateInfo", unsafe.Sizeof(vk.ComputePipelineCreateInfo{}), 96},
		{"VkWriteDescriptorSet", unsafe.Sizeof(vk.WriteDescriptorSet{}), 64},
		{"VkImageCreateInfo", unsafe.Sizeof(vk.ImageCreateInfo{}), 88},
		{"VkSamplerCreateInfo", unsafe.Sizeof(vk.SamplerCreateInfo{}), 80},
		{"VkBufferImageCopy", unsafe.Sizeof(vk.BufferImageCopy{}), 56},
		{"VkSubmitInfo2", unsafe.Sizeof(vk.SubmitInfo2{}), 64},
		{"VkPhysicalDeviceVulkan12Properties", unsafe.Sizeof(vk.PhysicalDeviceVulkan12Properties{}), 736},
		{"VkPipelineExecutableStatisticKHR", unsafe.Sizeof(vk.PipelineExecutableStatisticKHR{}), 544},
		{"VkClearColorValue", unsafe.Sizeof(vk.ClearColorValue{}), 16},
	} {
		if s.got != s.want {
			t.Errorf("%s has %d bytes, in C %d", s.name, s.got, s.want)
		}
	}
}
