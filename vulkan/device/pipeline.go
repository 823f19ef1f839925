package device

import (
	"fmt"
	"slices"
	"unsafe"

	"spvsim/vulkan/vk"
)

// Kinds of descriptors.
const (
	StorageBuffer = vk.DescriptorTypeStorageBuffer
	UniformBuffer = vk.DescriptorTypeUniformBuffer
	StorageTexels = vk.DescriptorTypeStorageTexelBuffer
	UniformTexels = vk.DescriptorTypeUniformTexelBuffer
	StorageImage  = vk.DescriptorTypeStorageImage
	SampledImage  = vk.DescriptorTypeSampledImage
	Combined      = vk.DescriptorTypeCombinedImageSampler
	SamplerOnly   = vk.DescriptorTypeSampler
)

// Kinds of views of images.
const (
	View1D        = vk.ImageViewType1d
	View1DArray   = vk.ImageViewType1dArray
	View2D        = vk.ImageViewType2d
	View2DArray   = vk.ImageViewType2dArray
	View3D        = vk.ImageViewType3d
	ViewCube      = vk.ImageViewTypeCube
	ViewCubeArray = vk.ImageViewTypeCubeArray
)

// Names of the kinds.
type (
	Kind = vk.DescriptorType
	View = vk.ImageViewType
)

// A Binding is a place for descriptors in a shader.
type Binding struct {
	Set, Binding uint32
	Kind         Kind
	Count        uint32
	View         View // of images
}

// A Constant is the value of a specialization constant.
type Constant struct {
	ID   uint32
	Bits uint64
	Size uint64 // in bytes
}

// A Shader is an entry point with all that a pipeline depends on.
type Shader struct {
	Words        []uint32
	Entry        string
	Constants    []Constant
	Bindings     []Binding
	PushBytes    uint32
	SubgroupSize uint32 // that it needs; 0: the device's choice
}

// A Pipeline is a shader compiled for the device.
type Pipeline struct {
	handle   vk.Pipeline
	layout   vk.PipelineLayout
	sets     []vk.DescriptorSetLayout
	bindings []Binding
}

// NewPipeline compiles a shader.
func (d *Device) NewPipeline(s *Shader) (*Pipeline, error) {
	p := &Pipeline{bindings: s.Bindings}
	if err := d.layOut(p, s); err != nil {
		return nil, err
	}
	module := vk.ShaderModule(0)
	info := &vk.ShaderModuleCreateInfo{SType: vk.StructureTypeShaderModuleCreateInfo, CodeSize: uint64(4 * len(s.Words)), PCode: first(s.Words)}
	if err := call("vkCreateShaderModule", d.CreateShaderModule(d.handle, info, nil, &module)); err != nil {
		return nil, err
	}
	defer d.DestroyShaderModule(d.handle, module, nil)
	stage := vk.PipelineShaderStageCreateInfo{
		SType: vk.StructureTypePipelineShaderStageCreateInfo, Stage: vk.ShaderStageComputeBit, Module: module, PName: text(s.Entry), PSpecializationInfo: specialization(s.Constants),
	}
	if s.SubgroupSize != 0 {
		size := &vk.PipelineShaderStageRequiredSubgroupSizeCreateInfo{SType: vk.StructureTypePipelineShaderStageRequiredSubgroupSizeCreateInfo, RequiredSubgroupSize: s.SubgroupSize}
		stage.PNext = unsafe.Pointer(size)
	}
	create := &vk.ComputePipelineCreateInfo{SType: vk.StructureTypeComputePipelineCreateInfo, Flags: vk.PipelineCreateFlags(vk.PipelineCreateDispatchBaseBit), Stage: stage, Layout: p.layout, BasePipelineIndex: -1}
	if err := call("vkCreateComputePipelines", d.CreateComputePipelines(d.handle, 0, 1, create, nil, &p.handle)); err != nil {
		return nil, err
	}
	d.atClose(func() { d.DestroyPipeline(d.handle, p.handle, nil) })
	return p, nil
}

func specialization(list []Constant) *vk.SpecializationInfo {
	if len(list) == 0 {
		return nil
	}
	var entries []vk.SpecializationMapEntry
	data := make([]uint64, len(list)) // little-endian: the low bytes of each hold the value
	for i, c := range list {
		data[i] = c.Bits
		entries = append(entries, vk.SpecializationMapEntry{ConstantID: c.ID, Offset: uint32(8 * i), Size: c.Size})
	}
	return &vk.SpecializationInfo{MapEntryCount: uint32(len(entries)), PMapEntries: first(entries), DataSize: uint64(8 * len(data)), PData: unsafe.Pointer(&data[0])}
}

// layOut makes the layouts of the descriptor sets and of the pipeline.
func (d *Device) layOut(p *Pipeline, s *Shader) error {
	sets := uint32(0)
	for _, b := range s.Bindings {
		sets = max(sets, b.Set+1)
	}
	if most := d.properties.Limits.MaxBoundDescriptorSets; sets > most {
		return fmt.Errorf("found descriptor set %d: want less than %d, the device's limit", sets-1, most)
	}
	for set := range sets {
		var list []vk.DescriptorSetLayoutBinding
		var flags []vk.DescriptorBindingFlags
		for _, b := range s.Bindings {
			if b.Set == set {
				list = append(list, vk.DescriptorSetLayoutBinding{Binding: b.Binding, DescriptorType: b.Kind, DescriptorCount: b.Count, StageFlags: vk.ShaderStageFlags(vk.ShaderStageComputeBit)})
				flags = append(flags, d.partlyBound())
			}
		}
		bound := &vk.DescriptorSetLayoutBindingFlagsCreateInfo{SType: vk.StructureTypeDescriptorSetLayoutBindingFlagsCreateInfo, BindingCount: uint32(len(flags)), PBindingFlags: first(flags)}
		info := &vk.DescriptorSetLayoutCreateInfo{SType: vk.StructureTypeDescriptorSetLayoutCreateInfo, PNext: unsafe.Pointer(bound), BindingCount: uint32(len(list)), PBindings: first(list)}
		layout := vk.DescriptorSetLayout(0)
		if err := call("vkCreateDescriptorSetLayout", d.CreateDescriptorSetLayout(d.handle, info, nil, &layout)); err != nil {
			return err
		}
		d.atClose(func() { d.DestroyDescriptorSetLayout(d.handle, layout, nil) })
		p.sets = append(p.sets, layout)
	}
	info := &vk.PipelineLayoutCreateInfo{SType: vk.StructureTypePipelineLayoutCreateInfo, SetLayoutCount: uint32(len(p.sets)), PSetLayouts: first(p.sets)}
	if s.PushBytes > 0 {
		info.PushConstantRangeCount, info.PPushConstantRanges = 1, &vk.PushConstantRange{StageFlags: vk.ShaderStageFlags(vk.ShaderStageComputeBit), Size: s.PushBytes}
	}
	if err := call("vkCreatePipelineLayout", d.CreatePipelineLayout(d.handle, info, nil, &p.layout)); err != nil {
		return err
	}
	d.atClose(func() { d.DestroyPipelineLayout(d.handle, p.layout, nil) })
	return nil
}

// partlyBound allows descriptors that no invocation uses to be missing, where the device can.
func (d *Device) partlyBound() vk.DescriptorBindingFlags {
	if d.features["descriptorBindingPartiallyBound"] {
		return vk.DescriptorBindingFlags(vk.DescriptorBindingPartiallyBoundBit)
	}
	return 0
}

// A Descriptor is what a shader finds at an element of a binding: a part of a buffer, texels of one, an image, a sampler, or both of these.
type Descriptor struct {
	Set, Binding, Index uint32
	Buffer              *Buffer
	Offset, Bytes       uint64
	Format              string // of the buffer's texels
	Image               *Image
	Sampler             *SamplerState
}

// A SamplerState is a sampler's state in the terms of Vulkan.
type SamplerState struct {
	MagLinear, MinLinear, MipLinear bool
	Wrap                            [3]string // repeat, mirror, clamp, border, mirror-once
	Border                          string    // black, white; empty: transparent
	Unnormalized                    bool
	Compare                         string // less, ...; empty: none
	Bias, MinLod, MaxLod            float32
}

// Sets are descriptor sets of a pipeline.
type Sets struct{ handles []vk.DescriptorSet }

// NewSets makes the descriptor sets of a launch.
func (d *Device) NewSets(p *Pipeline, list []Descriptor) (*Sets, error) {
	s := &Sets{}
	if len(p.sets) == 0 {
		return s, nil
	}
	var sizes []vk.DescriptorPoolSize
	for _, b := range p.bindings {
		sizes = append(sizes, vk.DescriptorPoolSize{Type: b.Kind, DescriptorCount: b.Count})
	}
	pool := vk.DescriptorPool(0)
	info := &vk.DescriptorPoolCreateInfo{SType: vk.StructureTypeDescriptorPoolCreateInfo, MaxSets: uint32(len(p.sets)), PoolSizeCount: uint32(len(sizes)), PPoolSizes: first(sizes)}
	if err := call("vkCreateDescriptorPool", d.CreateDescriptorPool(d.handle, info, nil, &pool)); err != nil {
		return nil, err
	}
	d.atClose(func() { d.DestroyDescriptorPool(d.handle, pool, nil) })
	s.handles = make([]vk.DescriptorSet, len(p.sets))
	take := &vk.DescriptorSetAllocateInfo{SType: vk.StructureTypeDescriptorSetAllocateInfo, DescriptorPool: pool, DescriptorSetCount: uint32(len(p.sets)), PSetLayouts: first(p.sets)}
	if err := call("vkAllocateDescriptorSets", d.AllocateDescriptorSets(d.handle, take, &s.handles[0])); err != nil {
		return nil, err
	}
	for i := range list {
		if err := d.write(s, p, &list[i]); err != nil {
			return nil, fmt.Errorf("set %d, binding %d: %w", list[i].Set, list[i].Binding, err)
		}
	}
	return s, nil
}

// write puts a descriptor in its place.
func (d *Device) write(s *Sets, p *Pipeline, x *Descriptor) error {
	i := slices.IndexFunc(p.bindings, func(b Binding) bool { return b.Set == x.Set && b.Binding == x.Binding })
	b := &p.bindings[i]
	w := &vk.WriteDescriptorSet{SType: vk.StructureTypeWriteDescriptorSet, DstSet: s.handles[x.Set], DstBinding: x.Binding, DstArrayElement: x.Index, DescriptorCount: 1, DescriptorType: b.Kind}
	switch {
	case x.Image != nil || x.Sampler != nil:
		image := &vk.DescriptorImageInfo{ImageLayout: vk.ImageLayoutGeneral}
		if err := d.fillImage(image, x, b.View); err != nil {
			return err
		}
		w.PImageInfo = image
	case x.Format != "":
		view, err := d.texelView(x)
		if err != nil {
			return err
		}
		w.PTexelBufferView = view
	default:
		limits := &d.properties.Limits
		most, align := uint64(limits.MaxStorageBufferRange), limits.MinStorageBufferOffsetAlignment
		if b.Kind == UniformBuffer {
			most, align = uint64(limits.MaxUniformBufferRange), limits.MinUniformBufferOffsetAlignment
		}
		switch {
		case x.Bytes > most:
			return fmt.Errorf("found a buffer of %d bytes: want at most %d, the device's limit", x.Bytes, most)
		case x.Offset%max(align, 1) != 0:
			return fmt.Errorf("found a part from byte %d on: want a multiple of %d, as the device asks", x.Offset, align)
		}
		w.PBufferInfo = &vk.DescriptorBufferInfo{Buffer: x.Buffer.handle, Offset: x.Offset, Range: x.Bytes}
	}
	d.UpdateDescriptorSets(d.handle, 1, w, 0, nil)
	return nil
}

func (d *Device) texelView(x *Descriptor) (*vk.BufferView, error) {
	view := new(vk.BufferView)
	format, err := texelFormat(x.Format)
	if err != nil {
		return nil, err
	}
	info := &vk.BufferViewCreateInfo{SType: vk.StructureTypeBufferViewCreateInfo, Buffer: x.Buffer.handle, Format: format, Offset: x.Offset, Range: x.Bytes}
	if err := call("vkCreateBufferView", d.CreateBufferView(d.handle, info, nil, view)); err != nil {
		return nil, err
	}
	d.atClose(func() { d.DestroyBufferView(d.handle, *view, nil) })
	return view, nil
}

func (d *Device) fillImage(out *vk.DescriptorImageInfo, x *Descriptor, view View) error {
	if x.Image != nil {
		info := &vk.ImageViewCreateInfo{SType: vk.StructureTypeImageViewCreateInfo, Image: x.Image.handle, ViewType: view, Format: x.Image.format, SubresourceRange: x.Image.all()}
		if err := call("vkCreateImageView", d.CreateImageView(d.handle, info, nil, &out.ImageView)); err != nil {
			return err
		}
		made := out.ImageView
		d.atClose(func() { d.DestroyImageView(d.handle, made, nil) })
	}
	if x.Sampler != nil {
		if err := call("vkCreateSampler", d.CreateSampler(d.handle, x.Sampler.info(), nil, &out.Sampler)); err != nil {
			return err
		}
		made := out.Sampler
		d.atClose(func() { d.DestroySampler(d.handle, made, nil) })
	}
	return nil
}

// Words of samplers, by the names that jobs have.
var (
	wraps    = []string{"repeat", "mirror", "clamp", "border", "mirror-once"} // in the order of VkSamplerAddressMode
	compares = []string{"never", "less", "equal", "less-or-equal", "greater", "not-equal", "greater-or-equal", "always"}
	borders  = map[string]vk.BorderColor{"black": vk.BorderColorFloatOpaqueBlack, "white": vk.BorderColorFloatOpaqueWhite}
)

func (s *SamplerState) info() *vk.SamplerCreateInfo {
	linear := func(on bool) vk.Filter {
		if on {
			return vk.FilterLinear
		}
		return vk.FilterNearest
	}
	i := &vk.SamplerCreateInfo{
		SType: vk.StructureTypeSamplerCreateInfo, MagFilter: linear(s.MagLinear), MinFilter: linear(s.MinLinear), MipLodBias: s.Bias, MinLod: s.MinLod, MaxLod: s.MaxLod,
		AddressModeU: vk.SamplerAddressMode(slices.Index(wraps, s.Wrap[0])), AddressModeV: vk.SamplerAddressMode(slices.Index(wraps, s.Wrap[1])),
		AddressModeW: vk.SamplerAddressMode(slices.Index(wraps, s.Wrap[2])), BorderColor: borders[s.Border],
	}
	if s.MipLinear {
		i.MipmapMode = vk.SamplerMipmapModeLinear
	}
	if s.Unnormalized {
		i.UnnormalizedCoordinates = 1
	}
	if s.Compare != "" {
		i.CompareEnable, i.CompareOp = 1, vk.CompareOp(slices.Index(compares, s.Compare))
	}
	return i
}
