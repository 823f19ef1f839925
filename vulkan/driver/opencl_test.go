package driver

import (
	"os"
	"slices"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"spvsim/vulkan/vk"
)

// Under the set opencl, and only there, each device has a render node of its own, a queue family that is said to draw, and memory with file
// descriptors.
func TestOpenCLProfile(t *testing.T) {
	for _, answers := range []string{"", "webgpu", "opencl"} {
		t.Run(answers, func(t *testing.T) {
			is := answers == "opencl"
			d, _, _ := openWith(t, map[string]string{"SPVSIM_ANSWERS": answers, "SPVSIM_MACHINE": "rdna3-rx7900xtx,cdna3-mi300a"})
			for i, p := range d.physical.instance.devices {
				node := vk.PhysicalDeviceDrmPropertiesEXT{SType: vk.StructureTypePhysicalDeviceDrmPropertiesExt, RenderMinor: 7}
				all := vk.PhysicalDeviceProperties2{PNext: unsafe.Pointer(&node)}
				GetPhysicalDeviceProperties2(vk.PhysicalDevice(p.handle), &all)
				want := vk.PhysicalDeviceDrmPropertiesEXT{SType: node.SType}
				if is { // devices.txt of Linux: major 226, render nodes from 128 on
					want.HasRender, want.RenderMajor, want.RenderMinor = 1, 226, 128+int64(i)
				}
				if node != want {
					t.Errorf("device %d: render node %+v, want %+v", i, node, want)
				}
				var count uint32
				EnumerateDeviceExtensionProperties(vk.PhysicalDevice(p.handle), nil, &count, nil)
				list := make([]vk.ExtensionProperties, count)
				EnumerateDeviceExtensionProperties(vk.PhysicalDevice(p.handle), nil, &count, &list[0])
				for _, name := range []string{"VK_EXT_physical_device_drm", "VK_KHR_external_memory_fd"} {
					has := slices.ContainsFunc(list, func(e vk.ExtensionProperties) bool { return text(&e.ExtensionName[0]) == name })
					if has != is {
						t.Errorf("%s: %t", name, has)
					}
				}
				out := vk.ExternalBufferProperties{}
				GetPhysicalDeviceExternalBufferProperties(vk.PhysicalDevice(p.handle), &vk.PhysicalDeviceExternalBufferInfo{HandleType: vk.ExternalMemoryHandleTypeOpaqueFdBit}, &out)
				if has := out.ExternalMemoryProperties.ExternalMemoryFeatures != 0; has != is {
					t.Errorf("buffers with file descriptors: %t", has)
				}
			}
		})
	}
}

// Memory that is imported from a file descriptor has the bytes of the memory that exported it, also after that one was
// freed. Other descriptors are refused by name.
func TestMemoryWithFileDescriptors(t *testing.T) {
	d, _, _ := openWith(t, map[string]string{"SPVSIM_ANSWERS": "opencl"})
	h := vk.Device(d.handle)
	const size = 1 << 16
	allocate := func(list unsafe.Pointer) (m vk.DeviceMemory, bytes []byte, err error) {
		err = misused(func() {
			if r := AllocateMemory(h, &vk.MemoryAllocateInfo{PNext: list, AllocationSize: size, MemoryTypeIndex: 1}, nil, &m); r != vk.Success {
				fail(r, "no memory")
			}
			var at unsafe.Pointer
			MapMemory(h, m, 0, vk.WholeSize, 0, &at)
			bytes = unsafe.Slice((*byte)(at), size)
		})
		return m, bytes, err
	}
	export := vk.ExportMemoryAllocateInfo{SType: vk.StructureTypeExportMemoryAllocateInfo, HandleTypes: vk.ExternalMemoryHandleTypeFlags(vk.ExternalMemoryHandleTypeOpaqueFdBit)}
	one, of, err := allocate(unsafe.Pointer(&export))
	if err != nil {
		t.Fatal(err)
	}
	var fd int32
	GetMemoryFdKHR(h, &vk.MemoryGetFdInfoKHR{Memory: one, HandleType: vk.ExternalMemoryHandleTypeOpaqueFdBit}, &fd)
	of[5], of[size-1] = 17, 99
	imported := vk.ImportMemoryFdInfoKHR{SType: vk.StructureTypeImportMemoryFdInfoKhr, HandleType: vk.ExternalMemoryHandleTypeOpaqueFdBit, Fd: fd}
	_, same, err := allocate(unsafe.Pointer(&imported))
	if err != nil {
		t.Fatal(err)
	}
	same[6] = 18
	if same[5] != 17 || same[size-1] != 99 || of[6] != 18 {
		t.Errorf("bytes %d, %d and %d: want 17, 99 and 18", same[5], same[size-1], of[6])
	}
	FreeMemory(h, one, nil)
	if same[5] != 17 {
		t.Error("the memory went with the one that exported it")
	}
	private, _, _ := allocate(nil)
	short, err := unix.MemfdCreate("short", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(short)
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	export.HandleTypes = 0x200 // of dma_buf
	for _, c := range []struct{ call func() error }{
		{func() error {
			return misused(func() {
				GetMemoryFdKHR(h, &vk.MemoryGetFdInfoKHR{Memory: private, HandleType: vk.ExternalMemoryHandleTypeOpaqueFdBit}, &fd)
			})
		}},
		{func() error { _, _, err := allocate(unsafe.Pointer(&export)); return err }},
		{func() error { imported.Fd = int32(short); _, _, err := allocate(unsafe.Pointer(&imported)); return err }},
		{func() error {
			imported.Fd = int32(null.Fd())
			_, _, err := allocate(unsafe.Pointer(&imported))
			return err
		}},
		{func() error { imported.Fd = -1; _, _, err := allocate(unsafe.Pointer(&imported)); return err }},
		{func() error {
			return misused(func() { GetMemoryFdPropertiesKHR(h, vk.ExternalMemoryHandleTypeOpaqueFdBit, fd, nil) })
		}},
	} {
		if err := c.call(); err == nil {
			t.Error("passed")
		} else {
			t.Log(err)
		}
	}
}

// Readings of a rising clock are above 0, differ by a nanosecond at least, and are as far apart as the cycles where
// those differ by more.
func TestRisingClock(t *testing.T) {
	c := newRisingClock(2498)
	var got []uint64
	for _, cycle := range []uint64{0, 0, 0, 5000, 5100, 5100, 9000, 12000} {
		got = append(got, c.shown(cycle))
	}
	if want := []uint64{3, 6, 9, 5003, 5103, 5106, 9003, 12003}; !slices.Equal(got, want) {
		t.Errorf("found %d, want %d", got, want)
	}
	if none := (*risingClock)(nil); none.shown(7) != 7 {
		t.Error("without one, the clock differs")
	}
}
