package driver

import (
	"math"
	"math/bits"
	"spvsim/mem/texture"
	"strings"

	"spvsim/mem"
	"spvsim/vulkan/formats"
	"spvsim/vulkan/vk"
)

// isDepth reports whether a format is a depth format: those are only sampled, and compared with.
func isDepth(f vk.Format) bool { return f == vk.FormatD16Unorm || f == vk.FormatD32Sfloat }

// atomicFormats lists the formats with texel atomics.
var atomicFormats = setOf("R32ui", "R32i", "R32f", "R64ui", "R64i")

func formatFeatures(f vk.Format) (images, buffers vk.FormatFeatureFlags) {
	format, ok := texture.FormatByName(formats.Texels[f])
	if !ok {
		return 0, 0
	}
	images = vk.FormatFeatureSampledImageBit | vk.FormatFeatureTransferSrcBit | vk.FormatFeatureTransferDstBit
	if !strings.HasSuffix(format.Name, "i") { // integers are not filtered
		images |= vk.FormatFeatureSampledImageFilterLinearBit
	}
	if isDepth(f) {
		return images, 0
	}
	if buffers = vk.FormatFeatureUniformTexelBufferBit; format.Stored() {
		images |= vk.FormatFeatureStorageImageBit
		buffers |= vk.FormatFeatureStorageTexelBufferBit
	}
	if atomicFormats[format.Name] {
		images |= vk.FormatFeatureStorageImageAtomicBit
		buffers |= vk.FormatFeatureStorageTexelBufferAtomicBit
	}
	return images, buffers
}

func GetPhysicalDeviceFormatProperties(h vk.PhysicalDevice, f vk.Format, out *vk.FormatProperties) {
	images, buffers := mustLookUp[*physical](uint64(h)).formatFeatures(f)
	*out = vk.FormatProperties{LinearTilingFeatures: images, OptimalTilingFeatures: images, BufferFeatures: buffers}
}

func GetPhysicalDeviceFormatProperties2(h vk.PhysicalDevice, f vk.Format, out *vk.FormatProperties2) {
	GetPhysicalDeviceFormatProperties(h, f, &out.FormatProperties)
	p := next[vk.FormatProperties3](out.PNext, vk.StructureTypeFormatProperties3)
	if p == nil {
		return
	}
	images, buffers := vk.Flags64(out.FormatProperties.OptimalTilingFeatures), vk.Flags64(out.FormatProperties.BufferFeatures)
	if images&vk.Flags64(vk.FormatFeatureStorageImageBit) != 0 {
		images |= vk.FormatFeature2StorageReadWithoutFormatBit | vk.FormatFeature2StorageWriteWithoutFormatBit
		buffers |= vk.FormatFeature2StorageReadWithoutFormatBit | vk.FormatFeature2StorageWriteWithoutFormatBit
	}
	if isDepth(f) {
		images |= vk.FormatFeature2SampledImageDepthComparisonBit
	}
	p.LinearTilingFeatures, p.OptimalTilingFeatures, p.BufferFeatures = images, images, buffers
}

func GetPhysicalDeviceImageFormatProperties(h vk.PhysicalDevice, f vk.Format, kind vk.ImageType, tiling vk.ImageTiling, usage vk.ImageUsageFlags, flags vk.ImageCreateFlags, out *vk.ImageFormatProperties) vk.Result {
	return mustLookUp[*physical](uint64(h)).imageFormat(f, kind, tiling, usage, flags, out)
}

// imageFormat returns the limits of images of a format, or an error if the combination is not supported.
func (p *physical) imageFormat(f vk.Format, kind vk.ImageType, tiling vk.ImageTiling, usage vk.ImageUsageFlags, flags vk.ImageCreateFlags, out *vk.ImageFormatProperties) vk.Result {
	const usable = vk.ImageUsageTransferSrcBit | vk.ImageUsageTransferDstBit | vk.ImageUsageSampledBit | vk.ImageUsageStorageBit
	const creatable = vk.ImageCreateMutableFormatBit | vk.ImageCreateCubeCompatibleBit | vk.ImageCreateAliasBit | vk.ImageCreateExtendedUsageBit |
		vk.ImageCreate2dArrayCompatibleBit
	*out = vk.ImageFormatProperties{}
	features, _ := p.formatFeatures(f)
	switch {
	case features == 0, formats.Texels[f] == "", // which is only answered
		usage&^(usable|p.spoofing.usages) != 0, flags&^creatable != 0,
		flags&vk.ImageCreateCubeCompatibleBit != 0 && kind != vk.ImageType2d, flags&vk.ImageCreate2dArrayCompatibleBit != 0 && kind != vk.ImageType3d,
		usage&vk.ImageUsageStorageBit != 0 && features&vk.FormatFeatureStorageImageBit == 0 && flags&vk.ImageCreateExtendedUsageBit == 0:
		return vk.ErrorFormatNotSupported
	}
	out.SampleCounts, out.MaxResourceSize, out.MaxArrayLayers = samplesOne, 1<<36, maxImageLayers
	if kind == vk.ImageType2d && tiling == vk.ImageTilingOptimal && flags&vk.ImageCreateCubeCompatibleBit == 0 {
		out.SampleCounts |= samplesMore
	}
	switch kind {
	case vk.ImageType1d:
		out.MaxExtent = vk.Extent3D{Width: maxImageSide, Height: 1, Depth: 1}
	case vk.ImageType2d:
		out.MaxExtent = vk.Extent3D{Width: maxImageSide, Height: maxImageSide, Depth: 1}
	default:
		out.MaxExtent, out.MaxArrayLayers = vk.Extent3D{Width: maxImageSide3D, Height: maxImageSide3D, Depth: maxImageSide3D}, 1
	}
	out.MaxMipLevels = uint32(math.Log2(float64(out.MaxExtent.Width))) + 1
	return vk.Success
}

func GetPhysicalDeviceImageFormatProperties2(h vk.PhysicalDevice, i *vk.PhysicalDeviceImageFormatInfo2, out *vk.ImageFormatProperties2) vk.Result {
	if e := next[vk.PhysicalDeviceExternalImageFormatInfo](i.PNext, vk.StructureTypePhysicalDeviceExternalImageFormatInfo); e != nil && e.HandleType != 0 {
		return vk.ErrorFormatNotSupported // memory of the host is for buffers
	}
	return GetPhysicalDeviceImageFormatProperties(h, i.Format, i.Type, i.Tiling, i.Usage, i.Flags, &out.ImageFormatProperties)
}

// GetPhysicalDeviceSparseImageFormatProperties is vkGetPhysicalDeviceSparseImageFormatProperties: sparse images are not
// supported.
func GetPhysicalDeviceSparseImageFormatProperties(_ vk.PhysicalDevice, _ vk.Format, _ vk.ImageType, _ vk.SampleCountFlagBits, _ vk.ImageUsageFlags, _ vk.ImageTiling, count *uint32, _ *vk.SparseImageFormatProperties) {
	*count = 0
}

// Sparse images are not supported.
var (
	GetPhysicalDeviceSparseImageFormatProperties2 = none[vk.PhysicalDevice, *vk.PhysicalDeviceSparseImageFormatInfo2, vk.SparseImageFormatProperties2]
	GetImageSparseMemoryRequirements              = none[vk.Device, vk.Image, vk.SparseImageMemoryRequirements]
	GetImageSparseMemoryRequirements2             = none[vk.Device, *vk.ImageSparseMemoryRequirementsInfo2, vk.SparseImageMemoryRequirements2]
	GetDeviceImageSparseMemoryRequirements        = none[vk.Device, *vk.DeviceImageMemoryRequirements, vk.SparseImageMemoryRequirements2]
)

func none[A, B, T any](_ A, _ B, count *uint32, _ *T) { *count = 0 }

type (
	// An image's texels are in rows, level after level.
	image struct {
		resource
		desc  texture.Image
		usage vk.ImageUsageFlags
	}
	imageView struct {
		self
		image  *image
		desc   texture.Image
		offset uint64 // in the image
	}
	bufferView struct {
		self
		buffer *buffer
		desc   texture.Image
		offset uint64
	}
	sampler struct {
		self
		desc   texture.Sampler
		warned bool // that a shader compares through it, which it does not
	}
)

func CreateImage(h vk.Device, info *vk.ImageCreateInfo, _ *vk.AllocationCallbacks, out *vk.Image) vk.Result {
	d := mustLookUp[*logicalDevice](uint64(h))
	var p vk.ImageFormatProperties
	if r := d.physical.imageFormat(info.Format, info.ImageType, info.Tiling, info.Usage, info.Flags, &p); r != vk.Success {
		fail(r, "format %d of an image of type %d with usage %#x and flags %#x: there are none (vkGetPhysicalDeviceImageFormatProperties)", info.Format, info.ImageType, info.Usage, info.Flags)
	}
	e := info.Extent
	if e.Width > p.MaxExtent.Width || e.Height > p.MaxExtent.Height || e.Depth > p.MaxExtent.Depth || info.ArrayLayers > p.MaxArrayLayers ||
		info.MipLevels == 0 || info.MipLevels > p.MaxMipLevels || info.Samples&p.SampleCounts == 0 || info.Samples&(info.Samples-1) != 0 || info.Samples > 1 && info.MipLevels > 1 || e.Width == 0 || e.Height == 0 || e.Depth == 0 || info.ArrayLayers == 0 {
		fail(vk.ErrorFormatNotSupported, "an image of %v, %d layers, %d levels and %d samples", e, info.ArrayLayers, info.MipLevels, info.Samples)
	}
	f, _ := texture.FormatByName(formats.Texels[info.Format])
	i := &image{resource: resource{device: d}, usage: info.Usage, desc: texture.Image{
		Format: f, Width: e.Width, Height: e.Height, Depth: e.Depth, Layers: info.ArrayLayers, Levels: info.MipLevels, Samples: uint32(info.Samples),
		Tiled: info.Tiling == vk.ImageTilingOptimal && info.Usage&vk.ImageUsageSampledBit != 0,
	}}
	if i.desc.Size() > p.MaxResourceSize {
		return vk.ErrorOutOfDeviceMemory
	}
	*out = vk.Image(addObject(i, d.handle))
	if most := bits.Len32(max(e.Width, e.Height, e.Depth)); int(info.MipLevels) > most {
		d.warn("vkCreateImage", "%v of %v has %d levels: want at most %d", i.object, e, info.MipLevels, most)
	}
	return vk.Success
}

func GetImageMemoryRequirements(_ vk.Device, i vk.Image, out *vk.MemoryRequirements) {
	*out = requirements(mustLookUp[*image](uint64(i)).desc.Size())
}

func GetImageMemoryRequirements2(h vk.Device, info *vk.ImageMemoryRequirementsInfo2, out *vk.MemoryRequirements2) {
	GetImageMemoryRequirements(h, info.Image, &out.MemoryRequirements)
	undedicated(out)
}

func GetDeviceImageMemoryRequirements(h vk.Device, info *vk.DeviceImageMemoryRequirements, out *vk.MemoryRequirements2) {
	var i vk.Image
	if CreateImage(h, info.PCreateInfo, nil, &i) != vk.Success {
		fail(vk.ErrorUnknown, "no such image can be made")
	}
	GetImageMemoryRequirements(h, i, &out.MemoryRequirements)
	removeObject[*image](uint64(i))
	undedicated(out)
}

func BindImageMemory(_ vk.Device, h vk.Image, memoryHandle vk.DeviceMemory, offset uint64) vk.Result {
	i, m := mustLookUp[*image](uint64(h)), mustLookUp[*memory](uint64(memoryHandle))
	i.bind(m, i.desc.Size(), offset)
	return vk.Success
}

func BindImageMemory2(h vk.Device, count uint32, infos *vk.BindImageMemoryInfo) vk.Result {
	for _, i := range items(infos, count) {
		BindImageMemory(h, i.Image, i.Memory, i.MemoryOffset)
	}
	return vk.Success
}

func GetImageSubresourceLayout(_ vk.Device, h vk.Image, at *vk.ImageSubresource, out *vk.SubresourceLayout) {
	i := mustLookUp[*image](uint64(h))
	offset, ok := i.desc.Texel(at.MipLevel, [4]uint32{0, 0, 0, at.ArrayLayer})
	if !ok {
		fail(vk.ErrorUnknown, "level %d, layer %d: the image has no such part", at.MipLevel, at.ArrayLayer)
	}
	w, height, depth := i.desc.LevelExtent(at.MipLevel)
	row := uint64(w) * uint64(i.desc.Format.Bytes)
	plane := row * uint64(height)
	*out = vk.SubresourceLayout{Offset: offset, Size: plane * uint64(depth), RowPitch: row, DepthPitch: plane, ArrayPitch: plane * uint64(depth)}
}

func GetImageSubresourceLayout2(h vk.Device, i vk.Image, at *vk.ImageSubresource2, out *vk.SubresourceLayout2) {
	GetImageSubresourceLayout(h, i, &at.ImageSubresource, &out.SubresourceLayout)
}

func GetDeviceImageSubresourceLayout(h vk.Device, info *vk.DeviceImageSubresourceInfo, out *vk.SubresourceLayout2) {
	var i vk.Image
	if CreateImage(h, info.PCreateInfo, nil, &i) != vk.Success {
		fail(vk.ErrorUnknown, "no such image can be made")
	}
	GetImageSubresourceLayout(h, i, &info.PSubresource.ImageSubresource, &out.SubresourceLayout)
	removeObject[*image](uint64(i))
}

// bytes are the image's texels.
func (i *image) bytes() []byte {
	i.bound()
	size := i.desc.Size()
	return i.memory.bytes[i.offset:][:size:size]
}

func CreateImageView(h vk.Device, info *vk.ImageViewCreateInfo, _ *vk.AllocationCallbacks, out *vk.ImageView) vk.Result {
	d := mustLookUp[*logicalDevice](uint64(h))
	i, r := mustLookUp[*image](uint64(info.Image)), info.SubresourceRange
	if info.ViewType != vk.ImageViewType3d && i.desc.Depth > 1 {
		return d.planes(i, info, out)
	}
	levels, layers := r.LevelCount, r.LayerCount
	if levels == vk.RemainingMipLevels {
		levels = i.desc.Levels - r.BaseMipLevel
	}
	if layers == vk.RemainingArrayLayers {
		layers = i.desc.Layers - r.BaseArrayLayer
	}
	offset, ok := i.desc.Texel(r.BaseMipLevel, [4]uint32{0, 0, 0, r.BaseArrayLayer * i.desc.Samples})
	if !ok || levels == 0 || layers == 0 || uint64(r.BaseMipLevel)+uint64(levels) > uint64(i.desc.Levels) || uint64(r.BaseArrayLayer)+uint64(layers) > uint64(i.desc.Layers) {
		fail(vk.ErrorUnknown, "levels %d+%d, layers %d+%d: the image has %d and %d", r.BaseMipLevel, levels, r.BaseArrayLayer, layers, i.desc.Levels, i.desc.Layers)
	}
	v := i.view(info, offset)
	v.desc.Levels, v.desc.Layers = levels, layers
	if layers < i.desc.Layers && levels > 1 { // the layers are not contiguous
		v.offset, _ = i.desc.Texel(r.BaseMipLevel, [4]uint32{})
		v.desc.First, v.desc.Stored = r.BaseArrayLayer, i.desc.Layers
	}
	*out = vk.ImageView(addObject(v, d.handle))
	return vk.Success
}

// view returns a view from a level on.
func (i *image) view(info *vk.ImageViewCreateInfo, offset uint64) *imageView {
	f, known := texture.FormatByName(formats.Texels[info.Format])
	if !known || f.Bytes != i.desc.Format.Bytes {
		fail(vk.ErrorFormatNotSupported, "format %d of a view", info.Format)
	}
	v := &imageView{image: i, desc: i.desc, offset: offset}
	v.desc.Format, v.desc.Swizzle = f, swizzle(info.Components)
	v.desc.Width, v.desc.Height, v.desc.Depth = i.desc.LevelExtent(info.SubresourceRange.BaseMipLevel)
	return v
}

// planes returns a view of the planes of a volume as layers, of one level.
func (d *logicalDevice) planes(i *image, info *vk.ImageViewCreateInfo, out *vk.ImageView) vk.Result {
	r := info.SubresourceRange
	_, _, depth := i.desc.LevelExtent(r.BaseMipLevel)
	n := r.LayerCount
	if n == vk.RemainingArrayLayers {
		n = depth - min(r.BaseArrayLayer, depth)
	}
	offset, ok := i.desc.Texel(r.BaseMipLevel, [4]uint32{0, 0, r.BaseArrayLayer})
	if !ok || n == 0 || uint64(r.BaseArrayLayer)+uint64(n) > uint64(depth) || r.LevelCount != 1 {
		fail(vk.ErrorUnknown, "%d levels from %d on, planes %d+%d: the level has %d planes", r.LevelCount, r.BaseMipLevel, r.BaseArrayLayer, n, depth)
	}
	v := i.view(info, offset)
	v.desc.Levels, v.desc.Layers, v.desc.Depth = 1, n, 1
	*out = vk.ImageView(addObject(v, d.handle))
	return vk.Success
}

// components maps Vulkan's swizzles to the machine's.
var components = map[vk.ComponentSwizzle]texture.Component{
	vk.ComponentSwizzleIdentity: texture.Same, vk.ComponentSwizzleZero: texture.Zero, vk.ComponentSwizzleOne: texture.One,
	vk.ComponentSwizzleR: texture.Red, vk.ComponentSwizzleG: texture.Green, vk.ComponentSwizzleB: texture.Blue, vk.ComponentSwizzleA: texture.Alpha,
}

// swizzle returns the components of a view.
func swizzle(c vk.ComponentMapping) (list [4]texture.Component) {
	for k, one := range []vk.ComponentSwizzle{c.R, c.G, c.B, c.A} {
		to, ok := components[one]
		if !ok {
			fail(vk.ErrorUnknown, "component %d of a view: found %d: want a VkComponentSwizzle", k, one)
		}
		if to != texture.Red+texture.Component(k) { // which is the same
			list[k] = to
		}
	}
	return list
}

func (v *imageView) descriptor() mem.Descriptor {
	b := v.image.bytes()[v.offset:]
	return mem.Descriptor{Addr: v.image.address() + v.offset, Bytes: b, Image: &v.desc}
}

func CreateBufferView(h vk.Device, info *vk.BufferViewCreateInfo, _ *vk.AllocationCallbacks, out *vk.BufferView) vk.Result {
	d := mustLookUp[*logicalDevice](uint64(h))
	b := mustLookUp[*buffer](uint64(info.Buffer))
	f, ok := texture.FormatByName(formats.Texels[info.Format])
	if !ok {
		fail(vk.ErrorFormatNotSupported, "format %d of texels", info.Format)
	}
	n := b.span(info.Offset, info.Range) / uint64(f.Bytes)
	if n > maxTexels {
		fail(vk.ErrorOutOfHostMemory, "%d texels: want at most %d (maxTexelBufferElements)", n, maxTexels)
	}
	if b.usage&(vk.BufferUsageUniformTexelBufferBit|vk.BufferUsageStorageTexelBufferBit) == 0 {
		d.warn("vkCreateBufferView", "%v was created with neither VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT nor VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT", b.object)
	}
	*out = vk.BufferView(addObject(&bufferView{buffer: b, desc: texture.Image{Format: f, Width: uint32(n), Height: 1, Depth: 1, Layers: 1, Levels: 1}, offset: info.Offset}, d.handle))
	return vk.Success
}

func (v *bufferView) descriptor() mem.Descriptor {
	d := v.buffer.descriptor(v.offset, v.desc.Size())
	d.Image = &v.desc
	return d
}

// wraps are the address modes that the machine has.
var wraps = map[vk.SamplerAddressMode]texture.Wrap{
	vk.SamplerAddressModeRepeat: texture.WrapRepeat, vk.SamplerAddressModeMirroredRepeat: texture.WrapMirror, vk.SamplerAddressModeClampToEdge: texture.WrapClamp,
	vk.SamplerAddressModeClampToBorder: texture.WrapBorder, vk.SamplerAddressModeMirrorClampToEdge: texture.WrapMirrorOnce,
}

// borders maps border colours to the components outside of an image.
var borders = map[vk.BorderColor][4]uint32{
	vk.BorderColorFloatTransparentBlack: {}, vk.BorderColorIntTransparentBlack: {},
	vk.BorderColorFloatOpaqueBlack: {3: 1}, vk.BorderColorIntOpaqueBlack: {3: 1},
	vk.BorderColorFloatOpaqueWhite: {1, 1, 1, 1}, vk.BorderColorIntOpaqueWhite: {1, 1, 1, 1},
}

// comparisons maps the compare operations of samplers to functions.
var comparisons = map[vk.CompareOp]func(reference, depth float64) bool{
	vk.CompareOpNever:          func(_, _ float64) bool { return false },
	vk.CompareOpLess:           func(r, d float64) bool { return r < d },
	vk.CompareOpEqual:          func(r, d float64) bool { return r == d },
	vk.CompareOpLessOrEqual:    func(r, d float64) bool { return r <= d },
	vk.CompareOpGreater:        func(r, d float64) bool { return r > d },
	vk.CompareOpNotEqual:       func(r, d float64) bool { return r != d },
	vk.CompareOpGreaterOrEqual: func(r, d float64) bool { return r >= d },
	vk.CompareOpAlways:         func(_, _ float64) bool { return true },
}

func CreateSampler(h vk.Device, info *vk.SamplerCreateInfo, _ *vk.AllocationCallbacks, out *vk.Sampler) vk.Result {
	d := mustLookUp[*logicalDevice](uint64(h))
	s := &sampler{desc: texture.Sampler{
		MagLinear: info.MagFilter == vk.FilterLinear, MinLinear: info.MinFilter == vk.FilterLinear, MipLinear: info.MipmapMode == vk.SamplerMipmapModeLinear,
		Bias: float64(info.MipLodBias), MinLod: float64(info.MinLod), MaxLod: float64(info.MaxLod),
		Border: borders[info.BorderColor], Unnormalized: info.UnnormalizedCoordinates != 0,
	}}
	for i, mode := range []vk.SamplerAddressMode{info.AddressModeU, info.AddressModeV, info.AddressModeW} {
		w, ok := wraps[mode]
		if !ok {
			fail(vk.ErrorFeatureNotPresent, "address mode %d", mode)
		}
		s.desc.Wrap[i] = w
	}
	switch {
	case info.AnisotropyEnable != 0:
		fail(vk.ErrorFeatureNotPresent, "anisotropic filtering")
	case info.CompareEnable != 0:
		s.desc.Compare = comparisons[info.CompareOp]
	}
	*out = vk.Sampler(addObject(s, d.handle))
	return vk.Success
}
