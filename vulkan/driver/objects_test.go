package driver

import (
	"slices"
	"testing"
	"unsafe"

	"spvsim/vulkan/vk"
)

// made has an object of each kind: how it is created and destroyed.
func (g *transferRig) made() map[string][2]func(out *uint64) {
	h := vk.Device(g.d.handle)
	type pair = [2]func(out *uint64)
	own := func(create func(out unsafe.Pointer) vk.Result, destroy func(handle uint64)) pair {
		return pair{func(out *uint64) {
			if r := create(unsafe.Pointer(out)); r != vk.Success {
				g.t.Errorf("result %d", r)
			}
		}, func(out *uint64) { destroy(*out) }}
	}
	code := []uint32{0x07230203, 0x10000, 0, 1, 0}
	size := vk.DescriptorPoolSize{Type: vk.DescriptorTypeStorageBuffer, DescriptorCount: 4}
	binding := vk.DescriptorSetLayoutBinding{DescriptorType: vk.DescriptorTypeStorageBuffer, DescriptorCount: 1}
	return map[string]pair{
		"buffer": own(func(o unsafe.Pointer) vk.Result {
			return CreateBuffer(h, &vk.BufferCreateInfo{Size: 8}, nil, (*vk.Buffer)(o))
		}, func(u uint64) { DestroyBuffer(h, vk.Buffer(u), nil) }),
		"memory": own(func(o unsafe.Pointer) vk.Result {
			return AllocateMemory(h, &vk.MemoryAllocateInfo{AllocationSize: 8}, nil, (*vk.DeviceMemory)(o))
		}, func(u uint64) { FreeMemory(h, vk.DeviceMemory(u), nil) }),
		"fence": own(func(o unsafe.Pointer) vk.Result { return CreateFence(h, &vk.FenceCreateInfo{}, nil, (*vk.Fence)(o)) }, func(u uint64) { DestroyFence(h, vk.Fence(u), nil) }),
		"semaphore": own(func(o unsafe.Pointer) vk.Result {
			return CreateSemaphore(h, &vk.SemaphoreCreateInfo{}, nil, (*vk.Semaphore)(o))
		}, func(u uint64) { DestroySemaphore(h, vk.Semaphore(u), nil) }),
		"event": own(func(o unsafe.Pointer) vk.Result { return CreateEvent(h, &vk.EventCreateInfo{}, nil, (*vk.Event)(o)) }, func(u uint64) { DestroyEvent(h, vk.Event(u), nil) }),
		"sampler": own(func(o unsafe.Pointer) vk.Result {
			return CreateSampler(h, &vk.SamplerCreateInfo{}, nil, (*vk.Sampler)(o))
		}, func(u uint64) { DestroySampler(h, vk.Sampler(u), nil) }),
		"query pool": own(func(o unsafe.Pointer) vk.Result {
			return CreateQueryPool(h, &vk.QueryPoolCreateInfo{QueryType: vk.QueryTypeTimestamp, QueryCount: 2}, nil, (*vk.QueryPool)(o))
		}, func(u uint64) { DestroyQueryPool(h, vk.QueryPool(u), nil) }),
		"pipeline cache": own(func(o unsafe.Pointer) vk.Result {
			return CreatePipelineCache(h, &vk.PipelineCacheCreateInfo{}, nil, (*vk.PipelineCache)(o))
		}, func(u uint64) { DestroyPipelineCache(h, vk.PipelineCache(u), nil) }),
		"pipeline layout": own(func(o unsafe.Pointer) vk.Result {
			return CreatePipelineLayout(h, &vk.PipelineLayoutCreateInfo{}, nil, (*vk.PipelineLayout)(o))
		}, func(u uint64) { DestroyPipelineLayout(h, vk.PipelineLayout(u), nil) }),
		"shader module": own(func(o unsafe.Pointer) vk.Result {
			return CreateShaderModule(h, &vk.ShaderModuleCreateInfo{CodeSize: 20, PCode: &code[0]}, nil, (*vk.ShaderModule)(o))
		}, func(u uint64) { DestroyShaderModule(h, vk.ShaderModule(u), nil) }),
		"set layout": own(func(o unsafe.Pointer) vk.Result {
			return CreateDescriptorSetLayout(h, &vk.DescriptorSetLayoutCreateInfo{BindingCount: 1, PBindings: &binding}, nil, (*vk.DescriptorSetLayout)(o))
		}, func(u uint64) { DestroyDescriptorSetLayout(h, vk.DescriptorSetLayout(u), nil) }),
		"descriptor pool": own(func(o unsafe.Pointer) vk.Result {
			return CreateDescriptorPool(h, &vk.DescriptorPoolCreateInfo{MaxSets: 2, PoolSizeCount: 1, PPoolSizes: &size}, nil, (*vk.DescriptorPool)(o))
		}, func(u uint64) { DestroyDescriptorPool(h, vk.DescriptorPool(u), nil) }),
		"template": own(func(o unsafe.Pointer) vk.Result {
			return CreateDescriptorUpdateTemplate(h, &vk.DescriptorUpdateTemplateCreateInfo{}, nil, (*vk.DescriptorUpdateTemplate)(o))
		}, func(u uint64) { DestroyDescriptorUpdateTemplate(h, vk.DescriptorUpdateTemplate(u), nil) }),
		"private data": own(func(o unsafe.Pointer) vk.Result {
			return CreatePrivateDataSlot(h, &vk.PrivateDataSlotCreateInfo{}, nil, (*vk.PrivateDataSlot)(o))
		}, func(u uint64) { DestroyPrivateDataSlot(h, vk.PrivateDataSlot(u), nil) }),
		"command pool": own(func(o unsafe.Pointer) vk.Result {
			return CreateCommandPool(h, &vk.CommandPoolCreateInfo{}, nil, (*vk.CommandPool)(o))
		}, func(u uint64) { DestroyCommandPool(h, vk.CommandPool(u), nil) }),
	}
}

// A created object is in the table until it is destroyed, along with the objects allocated from it; no other object
// appears or disappears. Destroying a null handle does nothing.
func TestObjectLifetimes(t *testing.T) {
	g := newTransferRig(t, 41)
	h := vk.Device(g.d.handle)
	for name, of := range g.made() {
		before := len(objects)
		var handle, other, none uint64
		of[0](&handle)
		of[0](&other)
		if handle == 0 || handle == other || len(objects) != before+2 || objects[handle] == nil {
			t.Errorf("%s: two are %#x and %#x, %d objects more", name, handle, other, len(objects)-before)
		}
		inside := 0
		switch name {
		case "command pool":
			var b [3]vk.CommandBuffer
			AllocateCommandBuffers(h, &vk.CommandBufferAllocateInfo{CommandPool: vk.CommandPool(handle), CommandBufferCount: 3}, &b[0])
			FreeCommandBuffers(h, vk.CommandPool(handle), 1, &b[1])
			inside = 2
		case "descriptor pool":
			var layout uint64
			g.made()["set layout"][0](&layout)
			before++
			l, sets := []vk.DescriptorSetLayout{vk.DescriptorSetLayout(layout), vk.DescriptorSetLayout(layout)}, make([]vk.DescriptorSet, 2)
			AllocateDescriptorSets(h, &vk.DescriptorSetAllocateInfo{DescriptorPool: vk.DescriptorPool(handle), DescriptorSetCount: 2, PSetLayouts: &l[0]}, &sets[0])
			inside = 2
		}
		if len(objects) != before+2+inside {
			t.Errorf("%s: %d objects inside, want %d", name, len(objects)-before-2, inside)
		}
		of[1](&none)
		if of[1](&handle); len(objects) != before+1 || objects[handle] != nil || objects[other] == nil {
			t.Errorf("%s: after one is destroyed there are %d objects more, want 1", name, len(objects)-before)
		}
		if of[1](&other); len(objects) != before {
			t.Errorf("%s: after both are destroyed there are %d objects more", name, len(objects)-before)
		}
	}
}

// Extensions of an instance and of a device are listed up to the given count; a layer has none.
func TestListsOfExtensions(t *testing.T) {
	d := open(t)
	p := vk.PhysicalDevice(d.physical.handle)
	layer := []byte("layer\x00")
	for name, list := range map[string]func(layer *byte, count *uint32, out *vk.ExtensionProperties) vk.Result{
		"instance": EnumerateInstanceExtensionProperties,
		"device": func(layer *byte, count *uint32, out *vk.ExtensionProperties) vk.Result {
			return EnumerateDeviceExtensionProperties(p, layer, count, out)
		},
	} {
		var want []string
		for i := range extensions {
			if e := &extensions[i]; e.instance == (name == "instance") && (e.instance || d.physical.has(e)) {
				want = append(want, e.name)
			}
		}
		var all, none uint32
		if r := list(nil, &all, nil); r != vk.Success || int(all) != len(want) || list(&layer[0], &none, nil) != vk.Success || none != 0 {
			t.Errorf("%s: %d extensions, of a layer %d, want %d", name, all, none, len(want))
		}
		for n := range uint32(len(want) + 2) {
			count, out := n, make([]vk.ExtensionProperties, len(want)+2)
			r := list(nil, &count, &out[0])
			var got []string
			for i := range out {
				if s := text(&out[i].ExtensionName[0]); s != "" {
					got = append(got, s)
				}
			}
			if m := min(int(n), len(want)); int(count) != m || !slices.Equal(got, want[:m]) || (r == vk.Incomplete) != (m < len(want)) {
				t.Errorf("%s, space for %d: %d, %q, result %d", name, n, count, got, r)
			}
		}
	}
}
