package driver

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"spvsim/config"
	"spvsim/internal/suite"
	"spvsim/vulkan/vk"
)

// Commands fail on nonsense arguments: they neither panic nor hang, and return an error if they have a result.
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

// Null handles of unsupported kinds may be destroyed, as programs do at their end; other handles of these kinds are refused.
func TestDestroyNullHandles(t *testing.T) {
	real := os.Stderr
	defer func() { os.Stderr = real }()
	for handle, refused := range map[uint64]bool{0: false, 0x123: true} {
		f := suite.Must(os.Create(filepath.Join(t.TempDir(), "stderr")))(t)
		os.Stderr = f
		for i := range commands {
			if c := &commands[i]; c.call == nil && strings.HasPrefix(c.name, "vkDestroy") {
				words := [16]uint64{1: handle}
				Call(uint32(i), unsafe.Pointer(&words[0]))
			}
		}
		said, err := os.ReadFile(f.Name())
		if err != nil || bytes.Contains(said, []byte("vkDestroyFramebuffer: the device does not support this command")) != refused {
			t.Errorf("handle %#x: %v, and the driver says %q", handle, err, said)
		}
	}
}

// The C functions of these kinds pack the handle that Call reads, besides the device.
func TestDestroyTrampolinesPackTheHandle(t *testing.T) {
	text := suite.Must(os.ReadFile("../trampolines.c"))(t)
	for i := range commands {
		if c := &commands[i]; c.call != nil || !strings.HasPrefix(c.name, "vkDestroy") {
			continue
		}
		packed := fmt.Appendf(nil, "static void c%d(uint64_t p0, uint64_t p1, void *p2) { uint64_t a[3] = {p0, p1, (uintptr_t)p2};", i)
		if !bytes.Contains(text, packed) {
			t.Errorf("%s: trampolines.c lacks %q", commands[i].name, packed)
		}
	}
}

// harmless are commands that use no handle.
var harmless = map[string]bool{
	"vkGetPhysicalDeviceToolProperties": true, "vkEnumerateDeviceLayerProperties": true, "vkSetDebugUtilsObjectNameEXT": true,
	"vkSetDebugUtilsObjectTagEXT": true, "vkGetPhysicalDeviceCalibrateableTimeDomainsKHR": true, "vkResetFences": true,
	"vkBindBufferMemory2": true, "vkBindImageMemory2": true, "vkFreeDescriptorSets": true,
}

// The registry knows every feature that the driver names.
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

// The registry knows every limit and property that the driver names.
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

// A device's limits of execution graphs are those of its machine's queue.
func TestGraphLimits(t *testing.T) {
	for _, c := range []struct {
		set   string
		depth int
	}{{"", 32}, {"queue.max_depth=40", 40}} {
		t.Run(c.set, func(t *testing.T) {
			t.Setenv("SPVSIM_SET", c.set)
			d := open(t)
			graph := vk.PhysicalDeviceShaderEnqueuePropertiesAMDX{SType: vk.StructureTypePhysicalDeviceShaderEnqueuePropertiesAmdx}
			all := vk.PhysicalDeviceProperties2{PNext: unsafe.Pointer(&graph)}
			GetPhysicalDeviceProperties2(vk.PhysicalDevice(d.physical.handle), &all)
			if queue := d.physical.machine.Queue; int(graph.MaxExecutionGraphDepth) != c.depth || queue.MaxDepth != c.depth {
				t.Errorf("the device promises graphs of depth %d, its machine takes %d: want %d", graph.MaxExecutionGraphDepth, queue.MaxDepth, c.depth)
			}
		})
	}
}

// The application and the machine share the bytes of memory, and freed memory is subtracted from the heap's use.
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
	address := mustLookUp[*memory](uint64(m)).addr
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

// openWith creates a device whose instance was created with variables of the environment.
func openWith(t *testing.T, variables map[string]string) (*logicalDevice, vk.PhysicalDeviceProperties2, vk.PhysicalDeviceDriverProperties) {
	t.Helper()
	for name, value := range variables {
		t.Setenv(name, value)
	}
	d := open(t)
	about := vk.PhysicalDeviceDriverProperties{SType: vk.StructureTypePhysicalDeviceDriverProperties}
	all := vk.PhysicalDeviceProperties2{PNext: unsafe.Pointer(&about)}
	GetPhysicalDeviceProperties2(vk.PhysicalDevice(d.physical.handle), &all)
	return d, all, about
}

// A device identifies itself as a simulation, unless SPVSIM_IDENTITY requests the device that its machine represents;
// it reports no conformance version unless SPVSIM_CONFORMANCE gives one.
func TestIdentity(t *testing.T) {
	for _, c := range []struct {
		name           string
		variables      map[string]string
		vendor, device uint32
		driver         vk.DriverId
		title          string
		conformance    vk.ConformanceVersion
	}{
		{"itself", nil, 0xFFFF, 0, 0xFFFF, "spvsim rdna3-rx7900xtx", vk.ConformanceVersion{}},
		{"device", map[string]string{"SPVSIM_IDENTITY": "device"}, 0x1002, 0x744C, vk.DriverIdMesaRadv, "AMD Radeon RX 7900 XTX (RADV NAVI31)", vk.ConformanceVersion{}},
		{"another", map[string]string{"SPVSIM_IDENTITY": "device", "SPVSIM_MACHINE": "cdna3-mi300a", "SPVSIM_CONFORMANCE": "1.3.8.2"}, 0x1002, 0x74A0, vk.DriverIdMesaRadv,
			"AMD Instinct MI300A (RADV GFX940)", vk.ConformanceVersion{Major: 1, Minor: 3, Subminor: 8, Patch: 2}},
		{"webgpu", map[string]string{"SPVSIM_ANSWERS": "webgpu"}, 0xFFFF, 0, 0xFFFF, "spvsim rdna3-rx7900xtx", vk.ConformanceVersion{Major: 1, Minor: 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, all, about := openWith(t, c.variables)
			p := &all.Properties
			if p.VendorID != c.vendor || p.DeviceID != c.device || about.DriverID != c.driver || text(&p.DeviceName[0]) != c.title || about.ConformanceVersion != c.conformance {
				t.Errorf("vendor %#x, device %#x, driver %#x, %s, conformance %v", p.VendorID, p.DeviceID, about.DriverID, text(&p.DeviceName[0]), about.ConformanceVersion)
			}
			webgpu := c.name == "webgpu"
			kind := map[string]vk.PhysicalDeviceType{"itself": vk.PhysicalDeviceTypeVirtualGpu, "device": vk.PhysicalDeviceTypeDiscreteGpu, "another": vk.PhysicalDeviceTypeIntegratedGpu, "webgpu": vk.PhysicalDeviceTypeDiscreteGpu}[c.name]
			if p.DeviceType != kind || !d.physical.hasFeature("fragmentStoresAndAtomics") || !d.physical.hasFeature("vertexPipelineStoresAndAtomics") {
				t.Errorf("a device of type %d, want %d, or without the stores that instruments of layers ask for", p.DeviceType, kind)
			}
			if draws := d.physical.families()[0].QueueFlags&vk.QueueGraphicsBit != 0; draws != webgpu || d.physical.hasFeature("textureCompressionBC") != webgpu || (p.Limits.MaxColorAttachments > 0) != webgpu {
				t.Errorf("a graphics bit: %t, %d attachments", draws, p.Limits.MaxColorAttachments)
			}
		})
	}
}

// No format is reported as an attachment unless the answers say so; images for it are created only under webgpu.
func TestAttachments(t *testing.T) {
	for _, c := range []struct {
		profile             string
		says, makes, queues bool
	}{{"", false, false, false}, {"attachments", true, false, false}, {"webgpu", true, true, true}} {
		t.Run(c.profile, func(t *testing.T) {
			d, _, _ := openWith(t, map[string]string{"SPVSIM_ANSWERS": c.profile})
			p := d.physical
			for f, want := range map[vk.Format]vk.FormatFeatureFlags{vk.FormatB8g8r8a8Unorm: vk.FormatFeatureColorAttachmentBit, vk.FormatD32Sfloat: vk.FormatFeatureDepthStencilAttachmentBit} {
				if images, _ := p.formatFeatures(f); images&want != 0 != c.says || images&vk.FormatFeatureSampledImageBit == 0 {
					t.Errorf("format %d has features %#x", f, images)
				}
			}
			var limits vk.ImageFormatProperties
			for f := range p.spoofing.formatAliases { // formats that are only reported: no image has them
				images, _ := p.formatFeatures(f)
				if r := p.imageFormat(f, vk.ImageType2d, vk.ImageTilingOptimal, vk.ImageUsageSampledBit, 0, &limits); images == 0 || r != vk.ErrorFormatNotSupported {
					t.Errorf("format %d has features %#x, and images of it give %d", f, images, r)
				}
			}
			r := p.imageFormat(vk.FormatB8g8r8a8Unorm, vk.ImageType2d, vk.ImageTilingOptimal, vk.ImageUsageColorAttachmentBit, 0, &limits)
			if made, draws := r == vk.Success, p.families()[0].QueueFlags&vk.QueueGraphicsBit != 0; made != c.makes || draws != c.queues {
				t.Errorf("an image to draw to: %d, a queue that draws: %t", r, draws)
			}
		})
	}
}

// Settings that mean nothing are refused with the words that do.
func TestIdentityIsChecked(t *testing.T) {
	for variable, value := range map[string]string{"SPVSIM_ANSWERS": "opengl", "SPVSIM_IDENTITY": "someone", "SPVSIM_CONFORMANCE": "1.x", "SPVSIM_LENIENT": "yes"} {
		t.Run(variable, func(t *testing.T) {
			t.Setenv(variable, value)
			defer func() {
				if m, ok := recover().(misuse); !ok || m.result != vk.ErrorInitializationFailed {
					t.Errorf("%v", m)
				}
			}()
			var h vk.Instance
			CreateInstance(&vk.InstanceCreateInfo{}, nil, &h)
		})
	}
}

// The registry knows every name of a set of answers; every preset that represents a device has its numbers.
func TestAnswersAreKnown(t *testing.T) {
	features, properties := setOf(vk.Features...), map[string]bool{}
	for _, list := range vk.FeatureStructs {
		for _, name := range list {
			features[name] = true
		}
	}
	for _, typ := range append(slices.Collect(maps.Values(vk.PropertyStructs)), typeOf[vk.PhysicalDeviceLimits]()) {
		for i := range typ.NumField() {
			properties[typ.Field(i).Name] = true
		}
	}
	for set, a := range spoofingSets {
		for name := range a.features {
			if !features[name] {
				t.Errorf("%s: no feature %s", set, name)
			}
		}
		for name := range a.properties {
			if !properties[name] {
				t.Errorf("%s: no property %s", set, name)
			}
		}
	}
	for _, name := range config.Presets() {
		if _, ok := identities[name]; !ok && name != "rdna4-like" {
			t.Errorf("machine %s represents no device", name)
		}
	}
}

// Violations that other drivers tolerate fail, or pass with SPVSIM_LENIENT: a null immutable sampler is ignored, and
// missing descriptors are left out.
func TestLenient(t *testing.T) {
	var null vk.Sampler
	bindings := []vk.DescriptorSetLayoutBinding{
		{Binding: 0, DescriptorType: vk.DescriptorTypeCombinedImageSampler, DescriptorCount: 1, PImmutableSamplers: &null},
		{Binding: 1, DescriptorType: vk.DescriptorTypeStorageBuffer, DescriptorCount: 1},
	}
	info := vk.DescriptorSetLayoutCreateInfo{BindingCount: 2, PBindings: &bindings[0]}
	for _, lenient := range []bool{false, true} {
		if err := misused(func() { newSetLayout(&info, lenient) }); (err == nil) != lenient {
			t.Errorf("lenient %t: a null immutable sampler: %v", lenient, err)
		}
		l := &setLayout{lenient: lenient, bindings: []layoutBinding{{number: 1, kind: vk.DescriptorTypeStorageBuffer, count: 1}}}
		s := &descriptorSet{layout: l, elements: [][]descriptor{make([]descriptor, 1)}}
		b := &buffer{size: 64, usage: vk.BufferUsageStorageBufferBit}
		s.elements[0][0].offset = 7
		objects[1<<40] = &object{x: b}
		defer delete(objects, 1<<40)
		two := []vk.DescriptorBufferInfo{{Buffer: 1 << 40, Offset: 16, Range: 4}, {Buffer: 1 << 40, Offset: 32, Range: 4}}
		w := vk.WriteDescriptorSet{DstBinding: 1, DescriptorCount: 2, DescriptorType: vk.DescriptorTypeStorageBuffer, PBufferInfo: &two[0]}
		if err := misused(func() { s.write(&w) }); (err == nil) != lenient || s.elements[0][0].offset != 16 {
			t.Errorf("lenient %t: two descriptors for one: %v, offset %d", lenient, err, s.elements[0][0].offset)
		}
	}
}

// misused is the misuse that ends a call; nil: it passes.
func misused(call func()) (err error) {
	defer func() {
		if m, ok := recover().(misuse); ok {
			err = m
		}
	}()
	call()
	return nil
}
