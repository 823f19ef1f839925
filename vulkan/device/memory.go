package device

import (
	"fmt"
	"unsafe"

	"spvsim/vulkan/formats"
	"spvsim/vulkan/vk"
)

// A Buffer is memory of the device.
type Buffer struct {
	handle  vk.Buffer
	Bytes   uint64
	Address uint64 // on the device; 0 where the device has no addresses
	mapped  []byte // of the host's view; nil: the host does not see it
}

// bufferUsage is what buffers of jobs are used for.
const bufferUsage = vk.BufferUsageTransferSrcBit | vk.BufferUsageTransferDstBit | vk.BufferUsageUniformTexelBufferBit | vk.BufferUsageStorageTexelBufferBit |
	vk.BufferUsageUniformBufferBit | vk.BufferUsageStorageBufferBit | vk.BufferUsageIndirectBufferBit

// NewBuffer allocates memory of the device's own. Its contents are undefined.
func (d *Device) NewBuffer(bytes uint64) (*Buffer, error) {
	b, err := d.newBuffer(bytes, vk.MemoryPropertyDeviceLocalBit)
	if err != nil {
		return nil, fmt.Errorf("%d bytes: %w", bytes, err)
	}
	return b, nil
}

func (d *Device) newBuffer(bytes uint64, properties vk.MemoryPropertyFlags) (*Buffer, error) {
	b := &Buffer{Bytes: max(bytes, 4)}
	info := &vk.BufferCreateInfo{SType: vk.StructureTypeBufferCreateInfo, Size: (b.Bytes + 3) &^ 3, Usage: bufferUsage}
	if d.Addresses() {
		info.Usage |= vk.BufferUsageShaderDeviceAddressBit
	}
	if err := call("vkCreateBuffer", d.CreateBuffer(d.handle, info, nil, &b.handle)); err != nil {
		return nil, err
	}
	d.atClose(func() { d.DestroyBuffer(d.handle, b.handle, nil) })
	var need vk.MemoryRequirements
	d.GetBufferMemoryRequirements(d.handle, b.handle, &need)
	memory, err := d.allocate(&need, properties, d.Addresses())
	if err != nil {
		return nil, err
	}
	if err := call("vkBindBufferMemory", d.BindBufferMemory(d.handle, b.handle, memory, 0)); err != nil {
		return nil, err
	}
	if d.Addresses() {
		b.Address = d.GetBufferDeviceAddress(d.handle, &vk.BufferDeviceAddressInfo{SType: vk.StructureTypeBufferDeviceAddressInfo, Buffer: b.handle})
	}
	if properties&vk.MemoryPropertyHostVisibleBit != 0 {
		var at unsafe.Pointer
		if err := call("vkMapMemory", d.MapMemory(d.handle, memory, 0, vk.WholeSize, 0, &at)); err != nil {
			return nil, err
		}
		b.mapped = unsafe.Slice((*byte)(at), b.Bytes)
	}
	return b, nil
}

// allocate allocates memory of a type with some properties.
func (d *Device) allocate(need *vk.MemoryRequirements, properties vk.MemoryPropertyFlags, addressed bool) (vk.DeviceMemory, error) {
	info := &vk.MemoryAllocateInfo{SType: vk.StructureTypeMemoryAllocateInfo, AllocationSize: need.Size}
	if addressed {
		flags := &vk.MemoryAllocateFlagsInfo{SType: vk.StructureTypeMemoryAllocateFlagsInfo, Flags: vk.MemoryAllocateFlags(vk.MemoryAllocateDeviceAddressBit)}
		info.PNext = unsafe.Pointer(flags)
	}
	for i := range d.memory.MemoryTypeCount {
		if need.MemoryTypeBits&(1<<i) == 0 || d.memory.MemoryTypes[i].PropertyFlags&properties != properties {
			continue
		}
		var memory vk.DeviceMemory
		info.MemoryTypeIndex = i
		if err := call("vkAllocateMemory", d.AllocateMemory(d.handle, info, nil, &memory)); err != nil {
			return 0, err
		}
		d.atClose(func() { d.FreeMemory(d.handle, memory, nil) })
		return memory, nil
	}
	return 0, fmt.Errorf("no memory of the device has the properties %#x", properties)
}

// Upload writes bytes to a buffer from its first byte on.
func (d *Device) Upload(b *Buffer, data []byte) error {
	return d.throughStaging(uint64(len(data)), func(at, n uint64) error {
		copy(d.staging.mapped, data[at:at+n])
		return d.Do(func(c *Commands) error { c.copy(d.staging, b, 0, at, n); return nil })
	})
}

func (d *Device) Download(b *Buffer, bytes uint64) ([]byte, error) {
	data := make([]byte, bytes)
	err := d.throughStaging(bytes, func(at, n uint64) error {
		err := d.Do(func(c *Commands) error { c.copy(b, d.staging, at, 0, n); return nil })
		copy(data[at:at+n], d.staging.mapped)
		return err
	})
	return data, err
}

func (d *Device) throughStaging(bytes uint64, move func(at, n uint64) error) error {
	for at := uint64(0); at < bytes; at += stagingBytes {
		if err := move(at, min(stagingBytes, bytes-at)); err != nil {
			return err
		}
	}
	return nil
}

// A Shape is the shape of an image: texels x fastest, then y, z and layer; level after level.
type Shape struct {
	Format                               string // as SPIR-V spells it
	TexelBytes                           int
	Dimensions                           int // of the views that shaders have of it: 1, 2 or 3
	Width, Height, Depth, Layers, Levels uint32
}

// An Image is an image with the buffer that its texels come from and go to.
type Image struct {
	handle vk.Image
	format vk.Format
	shape  Shape
	Texels *Buffer
}

// imageUsage is what images of jobs may be used for, by the feature of the format that it needs.
var imageUsage = []struct {
	feature vk.FormatFeatureFlags
	usage   vk.ImageUsageFlags
}{
	{vk.FormatFeatureFlags(vk.FormatFeatureStorageImageBit), vk.ImageUsageFlags(vk.ImageUsageStorageBit)},
	{vk.FormatFeatureFlags(vk.FormatFeatureSampledImageBit), vk.ImageUsageFlags(vk.ImageUsageSampledBit)},
}

// NewImage makes an image, whose texels lie in a buffer between the launches of jobs.
func (d *Device) NewImage(s Shape, texels *Buffer) (*Image, error) {
	format, err := texelFormat(s.Format)
	if err != nil {
		return nil, err
	}
	i := &Image{format: format, shape: s, Texels: texels}
	var can vk.FormatProperties
	d.GetPhysicalDeviceFormatProperties(d.Physical.handle, i.format, &can)
	info := &vk.ImageCreateInfo{
		SType: vk.StructureTypeImageCreateInfo, ImageType: vk.ImageType(s.Dimensions - 1), Format: i.format, Extent: vk.Extent3D{Width: s.Width, Height: s.Height, Depth: s.Depth},
		MipLevels: s.Levels, ArrayLayers: s.Layers, Samples: vk.SampleCount1Bit, Usage: vk.ImageUsageFlags(vk.ImageUsageTransferSrcBit | vk.ImageUsageTransferDstBit),
	}
	if s.Dimensions == 2 && s.Layers%6 == 0 && s.Width == s.Height {
		info.Flags = vk.ImageCreateFlags(vk.ImageCreateCubeCompatibleBit)
	}
	for _, u := range imageUsage {
		if can.OptimalTilingFeatures&u.feature != 0 {
			info.Usage |= u.usage
		}
	}
	if err := call("vkCreateImage", d.CreateImage(d.handle, info, nil, &i.handle)); err != nil {
		return nil, err
	}
	d.atClose(func() { d.DestroyImage(d.handle, i.handle, nil) })
	var need vk.MemoryRequirements
	d.GetImageMemoryRequirements(d.handle, i.handle, &need)
	memory, err := d.allocate(&need, vk.MemoryPropertyDeviceLocalBit, false)
	if err != nil {
		return nil, err
	}
	return i, call("vkBindImageMemory", d.BindImageMemory(d.handle, i.handle, memory, 0))
}

// regions are the copies between an image and its buffer.
func (i *Image) regions() (list []vk.BufferImageCopy) {
	at := uint64(0)
	for level := range i.shape.Levels {
		e := vk.Extent3D{Width: max(i.shape.Width>>level, 1), Height: max(i.shape.Height>>level, 1), Depth: max(i.shape.Depth>>level, 1)}
		list = append(list, vk.BufferImageCopy{
			BufferOffset: at, ImageExtent: e,
			ImageSubresource: vk.ImageSubresourceLayers{AspectMask: vk.ImageAspectFlags(vk.ImageAspectColorBit), MipLevel: level, LayerCount: i.shape.Layers},
		})
		at += uint64(e.Width) * uint64(e.Height) * uint64(e.Depth) * uint64(i.shape.Layers) * uint64(i.shape.TexelBytes)
	}
	return list
}

// texelFormat is the format of texels as SPIR-V spells it.
func texelFormat(name string) (vk.Format, error) {
	f := formats.OfTexels(name)
	if f == 0 {
		return 0, fmt.Errorf("texel format %s: Vulkan has none", name)
	}
	return f, nil
}
