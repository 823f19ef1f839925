// Package device runs compute work on the Vulkan devices of this computer, through the Vulkan loader, which it opens when it is first needed.
// It knows buffers, images, pipelines and timestamps, and nothing of jobs.
package device

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"unsafe"

	"spvsim/vulkan/vk"
)

// ErrLoader reports that this computer has no Vulkan loader.
var ErrLoader = errors.New("no Vulkan loader")

// global are the commands of the loader that need no instance.
type global struct {
	CreateInstance                       func(info *vk.InstanceCreateInfo, _ unsafe.Pointer, out *vk.Instance) vk.Result
	EnumerateInstanceVersion             func(version *uint32) vk.Result
	EnumerateInstanceExtensionProperties func(layer *byte, count *uint32, list *vk.ExtensionProperties) vk.Result
	EnumerateInstanceLayerProperties     func(count *uint32, list *vk.LayerProperties) vk.Result
}

// commands are the commands of an instance and its devices. Each field is loaded by its name.
type commands struct {
	DestroyInstance                    func(vk.Instance, unsafe.Pointer)
	EnumeratePhysicalDevices           func(i vk.Instance, count *uint32, list *vk.PhysicalDevice) vk.Result
	GetPhysicalDeviceProperties        func(vk.PhysicalDevice, *vk.PhysicalDeviceProperties)
	GetPhysicalDeviceProperties2       func(vk.PhysicalDevice, *vk.PhysicalDeviceProperties2)
	GetPhysicalDeviceFeatures2         func(vk.PhysicalDevice, *vk.PhysicalDeviceFeatures2)
	GetPhysicalDeviceMemoryProperties  func(vk.PhysicalDevice, *vk.PhysicalDeviceMemoryProperties)
	GetPhysicalDeviceFormatProperties  func(vk.PhysicalDevice, vk.Format, *vk.FormatProperties)
	EnumerateDeviceExtensionProperties func(d vk.PhysicalDevice, layer *byte, count *uint32, list *vk.ExtensionProperties) vk.Result
	CreateDevice                       func(vk.PhysicalDevice, *vk.DeviceCreateInfo, unsafe.Pointer, *vk.Device) vk.Result

	GetPhysicalDeviceQueueFamilyProperties          func(d vk.PhysicalDevice, count *uint32, list *vk.QueueFamilyProperties)
	GetPhysicalDeviceCooperativeMatrixPropertiesKHR func(d vk.PhysicalDevice, count *uint32, list *vk.CooperativeMatrixPropertiesKHR) vk.Result

	DestroyDevice               func(vk.Device, unsafe.Pointer)
	GetDeviceQueue              func(d vk.Device, family, index uint32, out *vk.Queue)
	CreateBuffer                func(vk.Device, *vk.BufferCreateInfo, unsafe.Pointer, *vk.Buffer) vk.Result
	DestroyBuffer               func(vk.Device, vk.Buffer, unsafe.Pointer)
	GetBufferMemoryRequirements func(vk.Device, vk.Buffer, *vk.MemoryRequirements)
	BindBufferMemory            func(d vk.Device, b vk.Buffer, m vk.DeviceMemory, offset uint64) vk.Result
	GetBufferDeviceAddress      func(vk.Device, *vk.BufferDeviceAddressInfo) uint64
	CreateBufferView            func(vk.Device, *vk.BufferViewCreateInfo, unsafe.Pointer, *vk.BufferView) vk.Result
	DestroyBufferView           func(vk.Device, vk.BufferView, unsafe.Pointer)
	CreateImage                 func(vk.Device, *vk.ImageCreateInfo, unsafe.Pointer, *vk.Image) vk.Result
	DestroyImage                func(vk.Device, vk.Image, unsafe.Pointer)
	GetImageMemoryRequirements  func(vk.Device, vk.Image, *vk.MemoryRequirements)
	BindImageMemory             func(d vk.Device, i vk.Image, m vk.DeviceMemory, offset uint64) vk.Result
	CreateImageView             func(vk.Device, *vk.ImageViewCreateInfo, unsafe.Pointer, *vk.ImageView) vk.Result
	DestroyImageView            func(vk.Device, vk.ImageView, unsafe.Pointer)
	CreateSampler               func(vk.Device, *vk.SamplerCreateInfo, unsafe.Pointer, *vk.Sampler) vk.Result
	DestroySampler              func(vk.Device, vk.Sampler, unsafe.Pointer)
	AllocateMemory              func(vk.Device, *vk.MemoryAllocateInfo, unsafe.Pointer, *vk.DeviceMemory) vk.Result
	FreeMemory                  func(vk.Device, vk.DeviceMemory, unsafe.Pointer)
	MapMemory                   func(d vk.Device, m vk.DeviceMemory, offset, size uint64, flags uint32, data *unsafe.Pointer) vk.Result

	CreateDescriptorSetLayout  func(vk.Device, *vk.DescriptorSetLayoutCreateInfo, unsafe.Pointer, *vk.DescriptorSetLayout) vk.Result
	DestroyDescriptorSetLayout func(vk.Device, vk.DescriptorSetLayout, unsafe.Pointer)
	CreateDescriptorPool       func(vk.Device, *vk.DescriptorPoolCreateInfo, unsafe.Pointer, *vk.DescriptorPool) vk.Result
	DestroyDescriptorPool      func(vk.Device, vk.DescriptorPool, unsafe.Pointer)
	AllocateDescriptorSets     func(vk.Device, *vk.DescriptorSetAllocateInfo, *vk.DescriptorSet) vk.Result
	UpdateDescriptorSets       func(d vk.Device, writes uint32, list *vk.WriteDescriptorSet, copies uint32, _ unsafe.Pointer)
	CreatePipelineLayout       func(vk.Device, *vk.PipelineLayoutCreateInfo, unsafe.Pointer, *vk.PipelineLayout) vk.Result
	DestroyPipelineLayout      func(vk.Device, vk.PipelineLayout, unsafe.Pointer)
	CreateShaderModule         func(vk.Device, *vk.ShaderModuleCreateInfo, unsafe.Pointer, *vk.ShaderModule) vk.Result
	DestroyShaderModule        func(vk.Device, vk.ShaderModule, unsafe.Pointer)
	CreateComputePipelines     func(d vk.Device, cache uint64, count uint32, infos *vk.ComputePipelineCreateInfo, _ unsafe.Pointer, out *vk.Pipeline) vk.Result
	DestroyPipeline            func(vk.Device, vk.Pipeline, unsafe.Pointer)

	CreateCommandPool      func(vk.Device, *vk.CommandPoolCreateInfo, unsafe.Pointer, *vk.CommandPool) vk.Result
	DestroyCommandPool     func(vk.Device, vk.CommandPool, unsafe.Pointer)
	AllocateCommandBuffers func(vk.Device, *vk.CommandBufferAllocateInfo, *vk.CommandBuffer) vk.Result
	BeginCommandBuffer     func(vk.CommandBuffer, *vk.CommandBufferBeginInfo) vk.Result
	EndCommandBuffer       func(vk.CommandBuffer) vk.Result
	CreateFence            func(vk.Device, *vk.FenceCreateInfo, unsafe.Pointer, *vk.Fence) vk.Result
	DestroyFence           func(vk.Device, vk.Fence, unsafe.Pointer)
	ResetFences            func(d vk.Device, count uint32, list *vk.Fence) vk.Result
	WaitForFences          func(d vk.Device, count uint32, list *vk.Fence, all vk.Bool32, nanoseconds uint64) vk.Result
	QueueSubmit            func(q vk.Queue, count uint32, infos *vk.SubmitInfo, f vk.Fence) vk.Result
	CreateQueryPool        func(vk.Device, *vk.QueryPoolCreateInfo, unsafe.Pointer, *vk.QueryPool) vk.Result
	DestroyQueryPool       func(vk.Device, vk.QueryPool, unsafe.Pointer)
	GetQueryPoolResults    func(d vk.Device, p vk.QueryPool, first, count uint32, bytes uint64, data *uint64, stride uint64, flags uint32) vk.Result

	CmdBindPipeline       func(c vk.CommandBuffer, point vk.PipelineBindPoint, p vk.Pipeline)
	CmdBindDescriptorSets func(c vk.CommandBuffer, point vk.PipelineBindPoint, l vk.PipelineLayout, first, count uint32, sets *vk.DescriptorSet, dynamic uint32, _ unsafe.Pointer)
	CmdPushConstants      func(c vk.CommandBuffer, l vk.PipelineLayout, stages vk.ShaderStageFlags, offset, size uint32, data unsafe.Pointer)
	CmdDispatch           func(c vk.CommandBuffer, x, y, z uint32)
	CmdDispatchBase       func(c vk.CommandBuffer, baseX, baseY, baseZ, x, y, z uint32)
	CmdDispatchIndirect   func(c vk.CommandBuffer, b vk.Buffer, offset uint64)
	CmdPipelineBarrier    func(c vk.CommandBuffer, from, to vk.PipelineStageFlags, flags uint32, memories uint32, memory *vk.MemoryBarrier, buffers uint32, buffer unsafe.Pointer, images uint32, image *vk.ImageMemoryBarrier)
	CmdCopyBuffer         func(c vk.CommandBuffer, from, to vk.Buffer, count uint32, list *vk.BufferCopy)
	CmdCopyBufferToImage  func(c vk.CommandBuffer, from vk.Buffer, to vk.Image, layout vk.ImageLayout, count uint32, list *vk.BufferImageCopy)
	CmdCopyImageToBuffer  func(c vk.CommandBuffer, from vk.Image, layout vk.ImageLayout, to vk.Buffer, count uint32, list *vk.BufferImageCopy)
	CmdResetQueryPool     func(c vk.CommandBuffer, p vk.QueryPool, first, count uint32)
	CmdWriteTimestamp     func(c vk.CommandBuffer, stage vk.PipelineStageFlags, p vk.QueryPool, query uint32)
}

// loader is the loader's library, opened once.
var loader = sync.OnceValues(func() (*library, error) {
	handle, err := openLibrary()
	if err != nil {
		return nil, fmt.Errorf("%w: %w; a device needs the vendor's driver and the loader (Debian: libvulkan1)", ErrLoader, err)
	}
	l := &library{}
	get, err := symbol(handle, "vkGetInstanceProcAddr")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLoader, err)
	}
	register(&l.address, get)
	return l, l.load(&l.global, 0)
})

// A library is the loader's shared library.
type library struct {
	global
	address func(i vk.Instance, name string) uintptr
}

// load fills the fields of a structure with the commands of their names. Commands of extensions that are missing stay nil.
func (l *library) load(table any, i vk.Instance) error {
	v := reflect.ValueOf(table).Elem()
	for k := range v.NumField() {
		name := "vk" + v.Type().Field(k).Name
		if at := l.address(i, name); at != 0 {
			register(v.Field(k).Addr().Interface(), at)
		}
	}
	if l.CreateInstance == nil {
		return fmt.Errorf("%w: the library has no vkCreateInstance", ErrLoader)
	}
	return nil
}
