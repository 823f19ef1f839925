package driver

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"spvsim/config"
	"spvsim/internal/expression"
	"spvsim/vulkan/vk"
)

// spoofing holds what a device reports beyond its own capabilities, for programs that query it and then only compute.
// Using a reported capability that does not exist fails with its name: no command draws, and no image has such a
// format.
type spoofing struct {
	kind          vk.PhysicalDeviceType   // 0: the type of the identity
	queues        vk.QueueFlags           // of the first family
	features      map[string]bool         // by the names of members
	extensions    map[string]bool         // extensions that only this set has
	properties    map[string]any          // by the names of members
	attachable    vk.FormatFeatureFlags   // added to each sampled colour format
	depths        vk.FormatFeatureFlags   // of formats of depths
	usages        vk.ImageUsageFlags      // usages that images may request
	formatAliases map[vk.Format]vk.Format // alias: formats that are reported with the features of another one
	// Programs see no refusals, and wait forever for work that fails: command buffers go on without refused commands, and
	// some time after its device was lost a program is ended.
	goesOn  bool
	repairs bool // modules are repaired: see spirv.Repair
	rising  bool // timestamps count up from above 0, and copies of them take no time: see risingClock
}

// Extensions that only some sets have.
const (
	physicalDeviceDrm = "VK_EXT_physical_device_drm"
	externalMemoryFd  = "VK_KHR_external_memory_fd"
)

// The numbers of Linux's render nodes: device 226, from 128 on (Documentation/admin-guide/devices.txt).
const (
	renderMajor      = 226
	firstRenderMinor = 128
)

const attachable = vk.FormatFeatureColorAttachmentBit | vk.FormatFeatureColorAttachmentBlendBit | vk.FormatFeatureBlitSrcBit | vk.FormatFeatureBlitDstBit

// spoofingSets maps the values of SPVSIM_ANSWERS, and of the flag --profile of spvsim app, to their answers.
var spoofingSets = map[string]*spoofing{
	"": {},
	// attachments adds formats that programs look up for pictures that they then don't draw.
	"attachments": {attachable: attachable, depths: vk.FormatFeatureDepthStencilAttachmentBit},
	// webgpu adds what wgpu and Dawn require of a device before they select it: the limits are the defaults of WebGPU
	// (W3C, "Limits"), in Vulkan's terms.
	"webgpu": {
		// Dawn (npm's bun-webgpu) ranks a discrete GPU above its null adapter, which runs nothing, and that above a
		// virtual GPU (tried, not specified).
		kind:   vk.PhysicalDeviceTypeDiscreteGpu,
		queues: vk.QueueGraphicsBit,
		features: setOf("textureCompressionBC", "depthBiasClamp", "fullDrawIndexUint32", "independentBlend", "sampleRateShading",
			"shaderClipDistance", "shaderCullDistance", "samplerAnisotropy", "depthClamp", "drawIndirectFirstInstance", "multiview"),
		properties: map[string]any{
			"ConformanceVersion":  vk.ConformanceVersion{Major: 1, Minor: 3},
			"MaxFramebufferWidth": maxImageSide, "MaxFramebufferHeight": maxImageSide, "MaxFramebufferLayers": maxImageLayers,
			"MaxViewports": 1, "MaxViewportDimensions": [2]uint32{maxImageSide, maxImageSide}, "ViewportBoundsRange": [2]float32{-2 * maxImageSide, 2*maxImageSide - 1},
			"MaxColorAttachments": 8, "MaxFragmentOutputAttachments": 8, "MaxFragmentCombinedOutputResources": 1 << 10, "MaxPerStageDescriptorInputAttachments": 8, "MaxDescriptorSetInputAttachments": 8,
			"MaxVertexInputAttributes": 30, "MaxVertexInputBindings": 30, "MaxVertexInputAttributeOffset": 2047, "MaxVertexInputBindingStride": 2048,
			"MaxVertexOutputComponents": 128, "MaxFragmentInputComponents": 128, "MaxDrawIndexedIndexValue": uint32(maxRange),
			"FramebufferColorSampleCounts": samplesOne | vk.SampleCount4Bit, "FramebufferDepthSampleCounts": samplesOne | vk.SampleCount4Bit,
			"FramebufferStencilSampleCounts": samplesOne | vk.SampleCount4Bit, "FramebufferNoAttachmentsSampleCounts": samplesOne | vk.SampleCount4Bit,
			"FramebufferIntegerColorSampleCounts": samplesOne, "MaxSampleMaskWords": 1, "MaxClipDistances": 8, "MaxCullDistances": 8, "MaxCombinedClipAndCullDistances": 8,
			"SubPixelPrecisionBits": 8, "SubPixelInterpolationOffsetBits": 4, "StandardSampleLocations": 1, "MaxSamplerAnisotropy": float32(16),
			"MinInterpolationOffset": float32(-0.5), "MaxInterpolationOffset": float32(0.4375), "MaxMultiviewViewCount": 6, "MaxMultiviewInstanceIndex": 1<<27 - 1,
		},
		attachable: attachable,
		depths:     vk.FormatFeatureDepthStencilAttachmentBit,
		usages:     vk.ImageUsageColorAttachmentBit | vk.ImageUsageDepthStencilAttachmentBit | vk.ImageUsageInputAttachmentBit,
		formatAliases: map[vk.Format]vk.Format{
			vk.FormatD24UnormS8Uint: vk.FormatD32Sfloat, vk.FormatD32SfloatS8Uint: vk.FormatD32Sfloat, vk.FormatX8D24UnormPack32: vk.FormatD32Sfloat, vk.FormatS8Uint: vk.FormatD16Unorm,
		},
	},
	// opencl adds what Mesa's rusticl and zink require of a device before they offer it to OpenCL programs: a queue that
	// draws, a render node, and memory with file descriptors.
	"opencl": {
		queues:     vk.QueueGraphicsBit,
		extensions: setOf(physicalDeviceDrm, externalMemoryFd),
		properties: map[string]any{"HasRender": 1, "RenderMajor": renderMajor},
		repairs:    true,
		rising:     true,
		goesOn:     true,
	},
}

// An identity is the identity of a real device, as Mesa's driver for it reports (libdrm's table amdgpu.ids has the
// numbers and names).
type identity struct {
	device     uint32
	name       string
	chip       string // as the driver appends it to the name
	integrated bool   // on one chip with the processor
}

const (
	vendorAMD    = 0x1002 // of PCI
	driverOfAMD  = vk.DriverIdMesaRadv
	driverOfName = "radv"
)

// identities maps names of machines to their devices. A machine that is missing here represents no device.
var identities = map[string]identity{
	"gcn3-r9nano":     {device: 0x7300, name: "AMD Radeon R9 Nano", chip: "FIJI"},
	"cdna2-mi210":     {device: 0x740F, name: "AMD Instinct MI210", chip: "ALDEBARAN"},
	"cdna3-mi300a":    {device: 0x74A0, name: "AMD Instinct MI300A", chip: "GFX940", integrated: true},
	"cdna3-mi300x":    {device: 0x74A1, name: "AMD Instinct MI300X", chip: "GFX940"},
	"cdna4-mi350p":    {device: 0x75C8, name: "AMD Instinct MI350P", chip: "GFX950"},
	"rdna2-rx6800xt":  {device: 0x73BF, name: "AMD Radeon RX 6800 XT", chip: "NAVI21"},
	"rdna2-rx6900xt":  {device: 0x73BF, name: "AMD Radeon RX 6900 XT", chip: "NAVI21"},
	"rdna3-rx7900xtx": {device: 0x744C, name: "AMD Radeon RX 7900 XTX", chip: "NAVI31"},
	"rdna3-w7800":     {device: 0x745E, name: "AMD Radeon Pro W7800", chip: "NAVI31"},
	"rdna3-780m":      {device: 0x15BF, name: "AMD Radeon 780M", chip: "PHOENIX", integrated: true},
	"rdna3-8060s":     {device: 0x1586, name: "AMD Radeon 8060S", chip: "GFX1151", integrated: true},
	"rdna4-rx9070xt":  {device: 0x7550, name: "AMD Radeon RX 9070 XT", chip: "GFX1201"},
}

type deviceIdentity struct {
	vendor, device uint32
	kind           vk.PhysicalDeviceType
	name           string
}

// simulatedIdentity returns the identity of a simulated device: vendor and type of a virtual GPU, and the machine's name.
func simulatedIdentity(m *config.Machine) deviceIdentity {
	return deviceIdentity{vendor: vendorID, kind: vk.PhysicalDeviceTypeVirtualGpu, name: fmt.Sprintf("spvsim %s", m.Name)}
}

// representedIdentity is the device that a machine represents, with the properties that go with it.
func representedIdentity(m *config.Machine, properties map[string]any) deviceIdentity {
	i, ok := identities[m.Name]
	if !ok {
		fail(vk.ErrorInitializationFailed, "SPVSIM_IDENTITY: machine %s represents no device: those that do are %s", m.Name, strings.Join(slices.Sorted(maps.Keys(identities)), ", "))
	}
	properties["DriverID"], properties["DriverName"] = driverOfAMD, driverOfName
	kind := vk.PhysicalDeviceTypeDiscreteGpu
	if i.integrated {
		kind = vk.PhysicalDeviceTypeIntegratedGpu
	}
	return deviceIdentity{vendor: vendorAMD, device: i.device, kind: kind, name: fmt.Sprintf("%s (RADV %s)", i.name, i.chip)}
}

// applySettings applies the settings to the answers, identity and lenience of a physical device.
func (p *physical) applySettings(s *settings) {
	a, ok := spoofingSets[s.answers]
	if !ok {
		fail(vk.ErrorInitializationFailed, "SPVSIM_ANSWERS: %q: want one of %s", s.answers, strings.Join(slices.Sorted(maps.Keys(spoofingSets)), ", "))
	}
	p.spoofing, p.identity, p.lenient = a, simulatedIdentity(p.machine), s.lenient
	p.identity.kind = cmp.Or(a.kind, p.identity.kind)
	maps.Copy(p.properties, a.properties)
	if a.extensions[physicalDeviceDrm] {
		p.properties["RenderMinor"] = firstRenderMinor + p.index
	}
	switch s.identity {
	case "", "spvsim":
	case "device":
		p.identity = representedIdentity(p.machine, p.properties)
	default:
		fail(vk.ErrorInitializationFailed, "SPVSIM_IDENTITY: %q: want spvsim or device", s.identity)
	}
	if s.conformance != "" {
		p.properties["ConformanceVersion"] = readConformance(s.conformance)
	}
}

// readConformance reads a version of Vulkan's conformance tests: up to four numbers with dots between.
func readConformance(text string) vk.ConformanceVersion {
	var v [4]uint8
	parts := strings.Split(text, ".")
	if len(parts) > len(v) {
		fail(vk.ErrorInitializationFailed, "SPVSIM_CONFORMANCE: %q: want at most four numbers with dots between", text)
	}
	for i, part := range parts {
		n, err := expression.ParseWithin(part, 0, math.MaxUint8)
		if err != nil {
			fail(vk.ErrorInitializationFailed, "SPVSIM_CONFORMANCE: %q: %v", text, err)
		}
		v[i] = uint8(n)
	}
	return vk.ConformanceVersion{Major: v[0], Minor: v[1], Subminor: v[2], Patch: v[3]}
}

// families returns the queue families, with the flags that the answers add to the first.
func (p *physical) families() []vk.QueueFamilyProperties {
	list := familiesOf(p.machine)
	list[0].QueueFlags |= p.spoofing.queues
	return list
}

// formatFeatures returns the features of a format: those of the machine, and those that are only reported.
func (p *physical) formatFeatures(f vk.Format) (images, buffers vk.FormatFeatureFlags) {
	images, buffers = formatFeatures(cmp.Or(p.spoofing.formatAliases[f], f))
	switch {
	case images == 0:
	case isDepth(cmp.Or(p.spoofing.formatAliases[f], f)):
		images |= p.spoofing.depths
	default:
		images |= p.spoofing.attachable
	}
	return images, buffers
}
