package driver

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"unsafe"

	"spvsim/gpu"
	"spvsim/spirv/validate"
	"spvsim/vulkan/vk"
)

type (
	shaderModule struct {
		module *validate.Module
		sum    [sha256.Size]byte
		err    error // what is wrong with it: a pipeline of it can't be made
	}
	pipelineLayout struct {
		sets      []*setLayout
		pushBytes uint32
	}
	pipelineCache struct{ device *device_ }
	pipeline      struct {
		device *device_
		handle uint64
		layout *pipelineLayout
		kernel *gpu.Kernel
		entry  string
		digest string     // of its module
		graph  *gpu.Graph // of an execution graph, instead of a kernel
		nodes  []gpu.GraphNode
		setup  gpu.KernelSetup // what the kernel is made of
	}
)

// CreateShaderModule is vkCreateShaderModule.
func CreateShaderModule(h vk.Device, info *vk.ShaderModuleCreateInfo, _ *vk.AllocationCallbacks, out *vk.ShaderModule) vk.Result {
	d := get[*device_](uint64(h))
	*out = vk.ShaderModule(put(d.module(info), d.handle))
	return vk.Success
}

// module reads a module. One that was read before is known.
func (d *device_) module(info *vk.ShaderModuleCreateInfo) *shaderModule {
	code := unsafe.Slice((*byte)(unsafe.Pointer(info.PCode)), info.CodeSize)
	sum := sha256.Sum256(code)
	if m := d.modules[sum]; m != nil {
		return m
	}
	m := &shaderModule{sum: sum}
	m.module, m.err = gpu.LoadModule(slices.Clone(code), fmt.Sprintf("module %x", sum[:4]))
	d.modules[sum] = m
	return m
}

// DestroyShaderModule is vkDestroyShaderModule.
func DestroyShaderModule(_ vk.Device, m vk.ShaderModule, _ *vk.AllocationCallbacks) {
	take[*shaderModule](uint64(m))
}

// CreatePipelineLayout is vkCreatePipelineLayout.
func CreatePipelineLayout(h vk.Device, info *vk.PipelineLayoutCreateInfo, _ *vk.AllocationCallbacks, out *vk.PipelineLayout) vk.Result {
	d := get[*device_](uint64(h))
	l := &pipelineLayout{}
	for _, s := range items(info.PSetLayouts, info.SetLayoutCount) {
		l.sets = append(l.sets, optional[*setLayout](uint64(s)))
	}
	for _, r := range items(info.PPushConstantRanges, info.PushConstantRangeCount) {
		if uint64(r.Offset)+uint64(r.Size) > maxPush {
			fail(vk.ErrorUnknown, "push constants of %d bytes from byte %d on: want at most %d", r.Size, r.Offset, maxPush)
		}
		l.pushBytes = max(l.pushBytes, r.Offset+r.Size)
	}
	*out = vk.PipelineLayout(put(l, d.handle))
	return vk.Success
}

// DestroyPipelineLayout is vkDestroyPipelineLayout.
func DestroyPipelineLayout(_ vk.Device, l vk.PipelineLayout, _ *vk.AllocationCallbacks) {
	take[*pipelineLayout](uint64(l))
}

// CreateComputePipelines is vkCreateComputePipelines.
func CreateComputePipelines(h vk.Device, _ vk.PipelineCache, count uint32, infos *vk.ComputePipelineCreateInfo, _ *vk.AllocationCallbacks, out *vk.Pipeline) vk.Result {
	d := get[*device_](uint64(h))
	to := items(out, count)
	clear(to)
	result := vk.Success
	for i, info := range items(infos, count) {
		p, err := d.computePipeline(&info)
		if err != nil {
			report("vkCreateComputePipelines", misuse{vk.ErrorUnknown, err.Error()})
			result = vk.ErrorUnknown
			continue
		}
		if p == nil {
			result = vk.PipelineCompileRequired
			continue
		}
		to[i] = vk.Pipeline(put(p, d.handle))
		p.handle = uint64(to[i])
	}
	return result
}

// computePipeline lowers the shader of a pipeline; nil where it would have to be lowered and may not.
func (d *device_) computePipeline(info *vk.ComputePipelineCreateInfo) (*pipeline, error) {
	s := &info.Stage
	m, err := d.stageModule(s)
	if err != nil {
		return nil, err
	}
	p := &pipeline{device: d, layout: get[*pipelineLayout](uint64(info.Layout)), entry: text(s.PName), digest: fmt.Sprintf("%x", m.sum[:4])}
	setup := gpu.KernelSetup{Module: m.module, Entry: p.entry, Specialization: specialization(s.PSpecializationInfo)}
	if setup.WaveSize, err = d.requiredWave(s); err != nil {
		return nil, err
	}
	p.setup = setup
	key := kernelKey{m.sum, p.entry, fmt.Sprint(setup.Specialization), setup.WaveSize}
	if p.kernel = d.kernels[key]; p.kernel != nil {
		return p, nil
	}
	if flagsOf(info)&vk.PipelineCreate2FailOnPipelineCompileRequiredBit != 0 {
		return nil, nil
	}
	if p.kernel, err = d.lower(setup); err != nil {
		return nil, err
	}
	d.kernels[key] = p.kernel
	return p, nil
}

// flagsOf are the flags of a pipeline, of which there may be more than fit into its own.
func flagsOf(info *vk.ComputePipelineCreateInfo) vk.Flags64 {
	if f := next[vk.PipelineCreateFlags2CreateInfo](info.PNext, vk.StructureTypePipelineCreateFlags2CreateInfo); f != nil {
		return vk.Flags64(f.Flags)
	}
	return vk.Flags64(info.Flags)
}

// requiredWave is the size of subgroups that a stage asks for; 0: any.
func (d *device_) requiredWave(s *vk.PipelineShaderStageCreateInfo) (int, error) {
	r := next[vk.PipelineShaderStageRequiredSubgroupSizeCreateInfo](s.PNext, vk.StructureTypePipelineShaderStageRequiredSubgroupSizeCreateInfo)
	if r == nil {
		return 0, nil
	}
	if sizes := d.physical.machine.WaveSizes; !slices.Contains(sizes, int(r.RequiredSubgroupSize)) {
		return 0, fmt.Errorf("subgroups of %d: the machine has %v", r.RequiredSubgroupSize, sizes)
	}
	return int(r.RequiredSubgroupSize), nil
}

// lower makes a kernel, which may take long and is no business of other calls.
func (d *device_) lower(setup gpu.KernelSetup) (*gpu.Kernel, error) {
	state.Unlock()
	defer state.Lock()
	return d.gpu.Kernel(setup)
}

// A kernelKey is what a kernel is made of.
type kernelKey struct {
	module         [sha256.Size]byte
	entry          string
	specialization string
	waveSize       int
}

// stageModule is the module of a stage, which may be given in place.
func (d *device_) stageModule(s *vk.PipelineShaderStageCreateInfo) (*shaderModule, error) {
	var m *shaderModule
	if s.Module != 0 {
		m = get[*shaderModule](uint64(s.Module))
	} else if info := next[vk.ShaderModuleCreateInfo](s.PNext, vk.StructureTypeShaderModuleCreateInfo); info != nil {
		m = d.module(info)
	} else {
		return nil, fmt.Errorf("no shader module")
	}
	return m, m.err
}

// specialization reads the values of constants, by their numbers.
func specialization(info *vk.SpecializationInfo) map[uint32]uint64 {
	if info == nil {
		return nil
	}
	data := unsafe.Slice((*byte)(info.PData), info.DataSize)
	out := map[uint32]uint64{}
	for _, e := range items(info.PMapEntries, info.MapEntryCount) {
		if e.Size > 8 || uint64(e.Offset)+e.Size > uint64(len(data)) {
			fail(vk.ErrorUnknown, "specialization constant %d: %d bytes from byte %d on of %d", e.ConstantID, e.Size, e.Offset, len(data))
		}
		var raw [8]byte
		copy(raw[:], data[e.Offset:][:e.Size])
		out[e.ConstantID] = binary.LittleEndian.Uint64(raw[:])
	}
	return out
}

// DestroyPipeline is vkDestroyPipeline.
func DestroyPipeline(_ vk.Device, p vk.Pipeline, _ *vk.AllocationCallbacks) {
	take[*pipeline](uint64(p))
}

// CreatePipelineCache is vkCreatePipelineCache. Kernels are kept by the device in any case.
func CreatePipelineCache(h vk.Device, _ *vk.PipelineCacheCreateInfo, _ *vk.AllocationCallbacks, out *vk.PipelineCache) vk.Result {
	d := get[*device_](uint64(h))
	*out = vk.PipelineCache(put(&pipelineCache{d}, d.handle))
	return vk.Success
}

// DestroyPipelineCache is vkDestroyPipelineCache.
func DestroyPipelineCache(_ vk.Device, c vk.PipelineCache, _ *vk.AllocationCallbacks) {
	take[*pipelineCache](uint64(c))
}

// cacheHeaderBytes is the size of VkPipelineCacheHeaderVersionOne.
const cacheHeaderBytes = 32

// GetPipelineCacheData is vkGetPipelineCacheData: the header alone.
func GetPipelineCacheData(_ vk.Device, h vk.PipelineCache, size *uint64, data unsafe.Pointer) vk.Result {
	c := get[*pipelineCache](uint64(h))
	if data == nil {
		*size = cacheHeaderBytes
		return vk.Success
	}
	if *size < cacheHeaderBytes {
		*size = 0
		return vk.Incomplete
	}
	*size = cacheHeaderBytes
	b := unsafe.Slice((*byte)(data), cacheHeaderBytes)
	for i, v := range []uint32{cacheHeaderBytes, 1, vendorID, 0} {
		binary.LittleEndian.PutUint32(b[4*i:], v)
	}
	copy(b[16:], c.device.physical.uuid[:])
	return vk.Success
}

// MergePipelineCaches is vkMergePipelineCaches.
func MergePipelineCaches(_ vk.Device, to vk.PipelineCache, _ uint32, _ *vk.PipelineCache) vk.Result {
	get[*pipelineCache](uint64(to))
	return vk.Success
}
