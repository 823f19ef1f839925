package driver

import (
	"reflect"
	"testing"

	"spvsim/vulkan/vk"
)

func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }

// open creates a device of the default machine, as an application would.
func open(t *testing.T) *logicalDevice {
	t.Helper()
	state.Lock()
	t.Cleanup(state.Unlock)
	var h vk.Instance
	if r := CreateInstance(&vk.InstanceCreateInfo{}, nil, &h); r != vk.Success {
		t.Fatal(r)
	}
	p := mustLookUp[*instance](uint64(h)).devices[0]
	var d vk.Device
	if r := CreateDevice(vk.PhysicalDevice(p.handle), &vk.DeviceCreateInfo{}, nil, &d); r != vk.Success {
		t.Fatal(r)
	}
	t.Cleanup(func() {
		DestroyDevice(d, nil)
		DestroyInstance(h, nil)
	})
	return mustLookUp[*logicalDevice](uint64(d))
}
