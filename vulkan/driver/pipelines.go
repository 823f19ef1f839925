package driver

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"spvsim/gpu"
	"spvsim/spirv/validate"
	"spvsim/vulkan/vk"
)

type (
	shaderModule struct {
		sum    [sha256.Size]byte
		broken bool   // it may need repairs
		code   []byte // until it is read
		module *validate.Module
		err    error // its first error: no pipeline can be created from it
	}
	pipelineLayout struct {
		device    *logicalDevice
		sets      []*setLayout
		ranges    []vk.PushConstantRange
		pushBytes uint32
	}
	pipeline struct {
		device *logicalDevice
		handle uint64
		layout *pipelineLayout
		kernel *gpu.Kernel
		entry  string
		digest string     // of its module
		graph  *gpu.Graph // of an execution graph, instead of a kernel
		nodes  []gpu.GraphNode
		sums   [][sha256.Size]byte // of the nodes' modules
		based  bool                // dispatches may have a base
		// indirectBindable: execution sets of generated commands may hold it.
		indirectBindable bool
		setup            gpu.KernelSetup // inputs of lowering; the module is set if dispatches are captured
	}
)

func CreateShaderModule(h vk.Device, info *vk.ShaderModuleCreateInfo, _ *vk.AllocationCallbacks, out *vk.ShaderModule) vk.Result {
	d := mustLookUp[*logicalDevice](uint64(h))
	*out = vk.ShaderModule(addObject(d.module(info), d.handle))
	return vk.Success
}

// module returns the module of a SPIR-V binary, which is read when a pipeline needs it. Equal binaries share a module.
func (d *logicalDevice) module(info *vk.ShaderModuleCreateInfo) *shaderModule {
	if info.CodeSize == 0 || info.CodeSize%4 != 0 {
		fail(vk.ErrorUnknown, "a module of %d bytes: want a multiple of 4", info.CodeSize)
	}
	code := unsafe.Slice((*byte)(unsafe.Pointer(info.PCode)), info.CodeSize)
	sum := sha256.Sum256(code)
	if m := d.modules[sum]; m != nil {
		return m
	}
	m := &shaderModule{sum: sum, broken: d.physical.spoofing.repairs, code: slices.Clone(code)}
	d.modules[sum] = m
	return m
}

// read decodes and checks a module, once.
func (m *shaderModule) read() (*validate.Module, error) {
	if m.code != nil {
		load := gpu.LoadModule
		if m.broken {
			load = gpu.LoadRepairedModule
		}
		m.module, m.err = load(m.code, fmt.Sprintf("module %x", m.sum[:4]))
		m.code = nil
	}
	return m.module, m.err
}

func CreatePipelineLayout(h vk.Device, info *vk.PipelineLayoutCreateInfo, _ *vk.AllocationCallbacks, out *vk.PipelineLayout) vk.Result {
	d := mustLookUp[*logicalDevice](uint64(h))
	l := &pipelineLayout{device: d}
	if info.SetLayoutCount > maxSets {
		fail(vk.ErrorOutOfHostMemory, "%d sets: want at most %d (maxBoundDescriptorSets)", info.SetLayoutCount, maxSets)
	}
	for _, s := range items(info.PSetLayouts, info.SetLayoutCount) {
		l.sets = append(l.sets, optional[*setLayout](uint64(s)))
	}
	for _, r := range items(info.PPushConstantRanges, info.PushConstantRangeCount) {
		switch {
		case uint64(r.Offset)+uint64(r.Size) > maxPush:
			fail(vk.ErrorUnknown, "push constants of %d bytes from byte %d on: want at most %d", r.Size, r.Offset, maxPush)
		case r.Offset%4 != 0 || r.Size%4 != 0 || r.Size == 0:
			fail(vk.ErrorUnknown, "push constants of %d bytes from byte %d on: want multiples of 4, and some", r.Size, r.Offset)
		}
		l.ranges, l.pushBytes = append(l.ranges, r), max(l.pushBytes, r.Offset+r.Size)
	}
	*out = vk.PipelineLayout(addObject(l, d.handle))
	return vk.Success
}

func CreateComputePipelines(h vk.Device, cache vk.PipelineCache, count uint32, infos *vk.ComputePipelineCreateInfo, _ *vk.AllocationCallbacks, out *vk.Pipeline) vk.Result {
	d, c := mustLookUp[*logicalDevice](uint64(h)), optional[*pipelineCache](uint64(cache))
	to := items(out, count)
	clear(to)
	result := vk.Success
	for i, info := range items(infos, count) {
		began := time.Now()
		p, found, err := d.computePipeline(&info, c)
		feedBack(info.PNext, found, time.Since(began))
		if err != nil {
			refuse("vkCreateComputePipelines", misuse{vk.ErrorUnknown, err.Error()})
			result, p = vk.ErrorUnknown, nil
		} else if p == nil {
			result = vk.PipelineCompileRequired
		}
		if p == nil && flagsOf(&info)&vk.PipelineCreate2EarlyReturnOnFailureBit != 0 {
			break // the remaining pipelines are not tried
		}
		if p == nil {
			continue
		}
		to[i] = vk.Pipeline(addObject(p, d.handle))
		p.handle = uint64(to[i])
	}
	return result
}

// computePipeline creates a pipeline of a shader, which may have been lowered before; nil: it would have to be lowered
// and must not. found: the application's cache had it.
func (d *logicalDevice) computePipeline(info *vk.ComputePipelineCreateInfo, c *pipelineCache) (p *pipeline, found bool, err error) {
	s := &info.Stage
	m, err := d.stageModule(s)
	if err != nil {
		return nil, false, err
	}
	p = &pipeline{device: d, layout: mustLookUp[*pipelineLayout](uint64(info.Layout)), entry: text(s.PName), digest: fmt.Sprintf("%x", m.sum[:4])}
	p.based = flagsOf(info)&vk.PipelineCreate2DispatchBaseBit != 0
	p.indirectBindable = flagsOf(info)&vk.PipelineCreate2IndirectBindableBitExt != 0
	p.setup = gpu.KernelSetup{Entry: p.entry, Specialization: specialization(s.PSpecializationInfo)}
	if p.setup.WaveSize, err = d.requiredWave(s); err != nil {
		return nil, false, err
	}
	if d.captures != nil {
		if p.setup.Module, err = m.read(); err != nil {
			return nil, false, err
		}
	}
	key := d.keyOf(m.sum, &p.setup)
	found = c.lookup(key) != nil
	may := flagsOf(info)&vk.PipelineCreate2FailOnPipelineCompileRequiredBit == 0
	if p.kernel = d.kernels[key]; p.kernel != nil {
		d.storeProgram(key, c, p.kernel.Program)
		return p, found, p.layout.accepts(p.kernel.Program)
	}
	// The store's contents may change at any time: a pipeline that must not be compiled
	// (FAIL_ON_PIPELINE_COMPILE_REQUIRED) comes from the application's cache alone.
	if p.kernel = d.restored(key, c, may); p.kernel == nil {
		if !may {
			return nil, false, nil
		}
		if p.kernel, err = d.lower(m, p.setup); err != nil {
			return nil, false, err
		}
		d.storeProgram(key, c, p.kernel.Program)
	}
	d.kernels[key] = p.kernel
	return p, found, p.layout.accepts(p.kernel.Program)
}

// feedBack reports to the application how long a pipeline took, and whether its cache had it.
func feedBack(list unsafe.Pointer, found bool, took time.Duration) {
	f := next[vk.PipelineCreationFeedbackCreateInfo](list, vk.StructureTypePipelineCreationFeedbackCreateInfo)
	if f == nil {
		return
	}
	said := vk.PipelineCreationFeedback{Flags: vk.PipelineCreationFeedbackFlags(vk.PipelineCreationFeedbackValidBit), Duration: uint64(took)}
	if found {
		said.Flags |= vk.PipelineCreationFeedbackFlags(vk.PipelineCreationFeedbackApplicationPipelineCacheHitBit)
	}
	*f.PPipelineCreationFeedback = said
	for i := range items(f.PPipelineStageCreationFeedbacks, f.PipelineStageCreationFeedbackCount) {
		items(f.PPipelineStageCreationFeedbacks, f.PipelineStageCreationFeedbackCount)[i] = said
	}
}

// flagsOf returns the flags of a pipeline, from the structure with 64-bit flags if there is one.
func flagsOf(info *vk.ComputePipelineCreateInfo) vk.Flags64 {
	if f := next[vk.PipelineCreateFlags2CreateInfo](info.PNext, vk.StructureTypePipelineCreateFlags2CreateInfo); f != nil {
		return vk.Flags64(f.Flags)
	}
	return vk.Flags64(info.Flags)
}

// requiredWave returns the subgroup size that a stage requires; 0: any.
func (d *logicalDevice) requiredWave(s *vk.PipelineShaderStageCreateInfo) (int, error) {
	r := next[vk.PipelineShaderStageRequiredSubgroupSizeCreateInfo](s.PNext, vk.StructureTypePipelineShaderStageRequiredSubgroupSizeCreateInfo)
	if r == nil {
		return 0, nil
	}
	if sizes := waveSizes(d.physical.machine); !slices.Contains(sizes, int(r.RequiredSubgroupSize)) {
		return 0, fmt.Errorf("subgroups of %d: the machine has %v", r.RequiredSubgroupSize, sizes)
	}
	return int(r.RequiredSubgroupSize), nil
}

// lower compiles a kernel; this may take long, so it releases state.
func (d *logicalDevice) lower(m *shaderModule, setup gpu.KernelSetup) (k *gpu.Kernel, err error) {
	if setup.Module, err = m.read(); err != nil {
		return nil, err
	}
	state.Unlock()
	defer state.Lock()
	return d.gpu.Kernel(setup)
}

// stageModule returns the module of a stage, which may be given inline.
func (d *logicalDevice) stageModule(s *vk.PipelineShaderStageCreateInfo) (*shaderModule, error) {
	var m *shaderModule
	if s.Module != 0 {
		m = mustLookUp[*shaderModule](uint64(s.Module))
	} else if info := next[vk.ShaderModuleCreateInfo](s.PNext, vk.StructureTypeShaderModuleCreateInfo); info != nil {
		m = d.module(info)
	} else {
		return nil, fmt.Errorf("no shader module")
	}
	return m, nil
}

// specialization reads the values of constants, by their numbers.
func specialization(info *vk.SpecializationInfo) map[uint32]uint64 {
	if info == nil {
		return nil
	}
	data := unsafe.Slice((*byte)(info.PData), info.DataSize)
	out := map[uint32]uint64{}
	for _, e := range items(info.PMapEntries, info.MapEntryCount) {
		if e.Size > 8 || e.Size > uint64(len(data)) || uint64(e.Offset) > uint64(len(data))-e.Size {
			fail(vk.ErrorUnknown, "specialization constant %d: %d bytes from byte %d on of %d", e.ConstantID, e.Size, e.Offset, len(data))
		}
		var raw [8]byte
		copy(raw[:], data[e.Offset:][:e.Size])
		out[e.ConstantID] = binary.LittleEndian.Uint64(raw[:])
	}
	return out
}
