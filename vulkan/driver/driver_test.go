package driver

import (
	"testing"
	"unsafe"

	"spvsim/vulkan/vk"
)

// Commands that get nothing that makes sense fail: they neither panic nor hang, and those with a result give an error.
func TestCommandsSurviveNonsense(t *testing.T) {
	for _, word := range []uint64{0, 0x123, 0xdead_0000_0000} {
		for i := range commands {
			c := &commands[i]
			if c.level == ofLoader {
				continue // they have no handle to be wrong
			}
			words := [16]uint64{}
			for k := range words {
				words[k] = word
			}
			got := vk.Result(int32(uint32(Call(uint32(i), unsafe.Pointer(&words[0])))))
			if c.answer == answersResult && got >= 0 && !harmless[c.name] {
				t.Errorf("%s with words of %#x gave %d", c.name, word, got)
			}
		}
	}
}

// harmless are commands that look at no handle.
var harmless = map[string]bool{
	"vkGetPhysicalDeviceToolProperties": true, "vkEnumerateDeviceLayerProperties": true, "vkSetDebugUtilsObjectNameEXT": true,
	"vkSetDebugUtilsObjectTagEXT": true, "vkGetPhysicalDeviceCalibrateableTimeDomainsKHR": true, "vkResetFences": true,
	"vkBindBufferMemory2": true, "vkBindImageMemory2": true, "vkFreeDescriptorSets": true,
}

// Every feature that the driver names is one that the registry has.
func TestFeaturesAreKnown(t *testing.T) {
	known := setOf(vk.Features...)
	for _, list := range vk.FeatureStructs {
		for _, name := range list {
			known[name] = true
		}
	}
	for name := range features {
		if !known[name] {
			t.Errorf("feature %s is in no structure", name)
		}
	}
}

// Every limit and property that the driver names is one that the registry has.
func TestPropertiesAreKnown(t *testing.T) {
	d := open(t)
	known := map[string]bool{}
	add := func(name string) { known[name] = true }
	for _, typ := range vk.PropertyStructs {
		for i := range typ.NumField() {
			add(typ.Field(i).Name)
		}
	}
	limits := typeOf[vk.PhysicalDeviceLimits]()
	for i := range limits.NumField() {
		add(limits.Field(i).Name)
	}
	for name := range d.physical.properties {
		if !known[name] {
			t.Errorf("property %s is in no structure", name)
		}
	}
}

// Memory is the same bytes for the application and the machine, and what is freed is counted back.
func TestMemoryIsShared(t *testing.T) {
	d := open(t)
	var m vk.DeviceMemory
	info := vk.MemoryAllocateInfo{AllocationSize: 5000, MemoryTypeIndex: 1}
	if r := AllocateMemory(vk.Device(d.handle), &info, nil, &m); r != vk.Success {
		t.Fatal(r)
	}
	var at unsafe.Pointer
	if r := MapMemory(vk.Device(d.handle), m, 8, vk.WholeSize, 0, &at); r != vk.Success {
		t.Fatal(r)
	}
	*(*byte)(at) = 77
	address := get[*memory](uint64(m)).addr
	if got := d.gpu.Memory(address+8, 1); len(got) != 1 || got[0] != 77 {
		t.Errorf("the machine sees %v", got)
	}
	if d.heap.used != 5000 {
		t.Errorf("%d bytes are used", d.heap.used)
	}
	FreeMemory(vk.Device(d.handle), m, nil)
	if got := d.gpu.Memory(address, 1); got != nil || d.heap.used != 0 {
		t.Errorf("freed memory: the machine sees %v, %d bytes are used", got, d.heap.used)
	}
	info.AllocationSize = d.heap.capacity + 1
	if r := AllocateMemory(vk.Device(d.handle), &info, nil, &m); r != vk.ErrorOutOfDeviceMemory {
		t.Errorf("more than the heap has: %d", r)
	}
}
