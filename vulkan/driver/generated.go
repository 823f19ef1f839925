package driver

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"spvsim/vulkan/vk"
)

// Device-generated commands (VK_EXT_device_generated_commands): sequences of a dispatch with its push constants and pipeline, which the device reads from
// its memory. A submission that has some is cut around them: they begin when all before them has ended, and what follows begins when they have ended.

// Limits: the least that the specification asks for ("Required Limits").
const (
	maxGeneratedPipelines = 4096
	maxGeneratedSequences = 1 << 20
	maxGeneratedTokens    = 16
	maxGeneratedOffset    = 2047
	maxGeneratedStride    = 2048
)

type (
	// An indirectLayout is the form of a sequence.
	indirectLayout struct {
		self
		stride    uint32
		set       int // byte of the pipeline's index in the set; -1: none
		dispatch  uint32
		push      []generatedPush
		separates bool // preprocessing may be a command of its own
	}
	// A generatedPush is a part of the push constants.
	generatedPush struct {
		from, to, bytes uint32
		index           bool // the number of the sequence, which is not in memory
	}
	// An executionSet holds the pipelines among which sequences choose.
	executionSet struct {
		self
		pipelines []*pipeline
	}
)

func CreateIndirectCommandsLayoutEXT(h vk.Device, info *vk.IndirectCommandsLayoutCreateInfoEXT, _ *vk.AllocationCallbacks, out *vk.IndirectCommandsLayoutEXT) vk.Result {
	d := mustLookUp[*logicalDevice](uint64(h))
	wantComputeStage(info.ShaderStages)
	l := &indirectLayout{stride: info.IndirectStride, set: -1}
	l.separates = vk.IndirectCommandsLayoutUsageFlagBitsEXT(info.Flags)&vk.IndirectCommandsLayoutUsageExplicitPreprocessBitExt != 0
	tokens := items(info.PTokens, info.TokenCount)
	switch {
	case len(tokens) == 0 || len(tokens) > maxGeneratedTokens:
		fail(vk.ErrorUnknown, "%d tokens: want 1 to %d", len(tokens), maxGeneratedTokens)
	case l.stride == 0 || l.stride > maxGeneratedStride || l.stride%4 != 0:
		fail(vk.ErrorUnknown, "a stride of %d bytes: want a multiple of 4 of at most %d", l.stride, maxGeneratedStride)
	}
	for i := range tokens {
		l.token(i, &tokens[i], i == len(tokens)-1, info.PipelineLayout)
	}
	*out = vk.IndirectCommandsLayoutEXT(addObject(l, d.handle))
	return vk.Success
}

// wantComputeStage refuses sequences that draw.
func wantComputeStage(stages vk.ShaderStageFlags) {
	if stages != vk.ShaderStageFlags(vk.ShaderStageComputeBit) {
		fail(vk.ErrorFeatureNotPresent, "generated commands for stages %#x: want VK_SHADER_STAGE_COMPUTE_BIT", stages)
	}
}

// token adds the i-th token; last: it is the last one.
func (l *indirectLayout) token(i int, t *vk.IndirectCommandsLayoutTokenEXT, last bool, layout vk.PipelineLayout) {
	place := func(bytes uint32) {
		if t.Offset > maxGeneratedOffset || t.Offset%4 != 0 || t.Offset+bytes > l.stride {
			fail(vk.ErrorUnknown, "token %d: %d bytes at byte %d of a sequence of %d: want a multiple of 4, and all within it", i, bytes, t.Offset, l.stride)
		}
	}
	if dispatches := t.Type == vk.IndirectCommandsTokenTypeDispatchExt; dispatches != last {
		fail(vk.ErrorUnknown, "token %d: the last token of a sequence, and no other, is its dispatch (VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_EXT)", i)
	}
	switch t.Type {
	case vk.IndirectCommandsTokenTypeDispatchExt:
		place(uint32(unsafe.Sizeof(vk.DispatchIndirectCommand{})))
		l.dispatch = t.Offset
	case vk.IndirectCommandsTokenTypeExecutionSetExt:
		s := *(**vk.IndirectCommandsExecutionSetTokenEXT)(unsafe.Pointer(&t.Data))
		switch {
		case i != 0:
			fail(vk.ErrorUnknown, "token %d: an execution set is the first token", i)
		case s.Type != vk.IndirectExecutionSetInfoTypePipelinesExt:
			fail(vk.ErrorFeatureNotPresent, "token %d: an execution set of type %d: the device has no shader objects", i, s.Type)
		}
		wantComputeStage(s.ShaderStages)
		place(4)
		l.set = int(t.Offset)
	case vk.IndirectCommandsTokenTypePushConstantExt, vk.IndirectCommandsTokenTypeSequenceIndexExt:
		l.pushToken(i, t, mustLookUp[*pipelineLayout](uint64(layout)), place)
	default:
		fail(vk.ErrorFeatureNotPresent, "token %d: of type %d: the device computes, and has execution sets, push constants, numbers of sequences and dispatches", i, t.Type)
	}
}

func (l *indirectLayout) pushToken(i int, t *vk.IndirectCommandsLayoutTokenEXT, layout *pipelineLayout, place func(bytes uint32)) {
	r := &(*(**vk.IndirectCommandsPushConstantTokenEXT)(unsafe.Pointer(&t.Data))).UpdateRange
	p := generatedPush{from: t.Offset, to: r.Offset, bytes: r.Size, index: t.Type == vk.IndirectCommandsTokenTypeSequenceIndexExt}
	switch {
	case r.Offset%4 != 0 || r.Size%4 != 0 || r.Size == 0 || uint64(r.Offset)+uint64(r.Size) > uint64(layout.pushBytes):
		fail(vk.ErrorUnknown, "token %d: %d bytes of push constants from byte %d on: want multiples of 4 within the pipeline layout's %d bytes", i, r.Size, r.Offset, layout.pushBytes)
	case p.index && r.Size != 4:
		fail(vk.ErrorUnknown, "token %d: the number of a sequence takes 4 bytes, not %d", i, r.Size)
	case !p.index:
		place(r.Size)
	}
	l.push = append(l.push, p)
}

func CreateIndirectExecutionSetEXT(h vk.Device, info *vk.IndirectExecutionSetCreateInfoEXT, _ *vk.AllocationCallbacks, out *vk.IndirectExecutionSetEXT) vk.Result {
	d := mustLookUp[*logicalDevice](uint64(h))
	if info.Type != vk.IndirectExecutionSetInfoTypePipelinesExt {
		fail(vk.ErrorFeatureNotPresent, "an execution set of type %d: the device has no shader objects", info.Type)
	}
	p := *(**vk.IndirectExecutionSetPipelineInfoEXT)(unsafe.Pointer(&info.Info))
	if p.MaxPipelineCount == 0 || p.MaxPipelineCount > maxGeneratedPipelines {
		fail(vk.ErrorUnknown, "an execution set of %d pipelines: want 1 to %d", p.MaxPipelineCount, maxGeneratedPipelines)
	}
	s := &executionSet{pipelines: make([]*pipeline, p.MaxPipelineCount)}
	s.pipelines[0] = bindablePipeline(p.InitialPipeline)
	*out = vk.IndirectExecutionSetEXT(addObject(s, d.handle))
	return vk.Success
}

// bindablePipeline returns a compute pipeline that an execution set may hold.
func bindablePipeline(h vk.Pipeline) *pipeline {
	p := mustLookUp[*pipeline](uint64(h))
	switch {
	case p.kernel == nil:
		fail(vk.ErrorFeatureNotPresent, "an execution set holds compute pipelines")
	case !p.indirectBindable:
		fail(vk.ErrorUnknown, "%s in an execution set: it was not created with VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT", p.title())
	}
	return p
}

func UpdateIndirectExecutionSetPipelineEXT(_ vk.Device, h vk.IndirectExecutionSetEXT, count uint32, writes *vk.WriteIndirectExecutionSetPipelineEXT) {
	s := mustLookUp[*executionSet](uint64(h))
	for _, w := range items(writes, count) {
		p := bindablePipeline(w.Pipeline)
		switch first := s.pipelines[0].layout; {
		case uint64(w.Index) >= uint64(len(s.pipelines)):
			fail(vk.ErrorUnknown, "pipeline %d of an execution set of %d", w.Index, len(s.pipelines))
		case !first.compatible(p.layout, len(first.sets)-1):
			fail(vk.ErrorUnknown, "pipeline %d of an execution set: its layout is not compatible with that of the first", w.Index)
		}
		s.pipelines[w.Index] = p
	}
}

func UpdateIndirectExecutionSetShaderEXT(vk.Device, vk.IndirectExecutionSetEXT, uint32, *vk.WriteIndirectExecutionSetShaderEXT) {
	fail(vk.ErrorFeatureNotPresent, "shader objects in an execution set: the device has none")
}

// GetGeneratedCommandsMemoryRequirementsEXT is vkGetGeneratedCommandsMemoryRequirementsEXT: preprocessing writes the sequences once more.
func GetGeneratedCommandsMemoryRequirementsEXT(_ vk.Device, info *vk.GeneratedCommandsMemoryRequirementsInfoEXT, out *vk.MemoryRequirements2) {
	l := mustLookUp[*indirectLayout](uint64(info.IndirectCommandsLayout))
	out.MemoryRequirements = requirements(uint64(info.MaxSequenceCount) * uint64(l.stride))
	undedicated(out)
}

// A generated is a command that executes sequences, with the bindings at the time of its recording.
type generated struct {
	dispatch
	layout       *indirectLayout
	set          *executionSet // nil: the pipeline that is bound
	at, count    uint64        // addresses of the sequences and, unless it is 0, of their number
	most         uint32        // sequences
	preprocessed bool
}

// CmdPreprocessGeneratedCommandsEXT is vkCmdPreprocessGeneratedCommandsEXT. The state of another command buffer has no effect on sequences of dispatches.
func CmdPreprocessGeneratedCommandsEXT(h vk.CommandBuffer, info *vk.GeneratedCommandsInfoEXT, _ vk.CommandBuffer) {
	b := record(h)
	g := b.generated(info)
	if !g.layout.separates {
		fail(vk.ErrorUnknown, "preprocessing by itself: the layout was not created with VK_INDIRECT_COMMANDS_LAYOUT_USAGE_EXPLICIT_PREPROCESS_BIT_EXT")
	}
	b.add(func(x *executor) error {
		return g.alone(x, func(x *executor) error {
			list, err := g.sequences(x)
			if err != nil {
				return err
			}
			return preprocess(x, list)
		})
	})
}

func CmdExecuteGeneratedCommandsEXT(h vk.CommandBuffer, preprocessed vk.Bool32, info *vk.GeneratedCommandsInfoEXT) {
	b := record(h)
	g := b.generated(info)
	g.preprocessed = preprocessed != 0
	if g.preprocessed != g.layout.separates {
		fail(vk.ErrorUnknown, "preprocessed: %t: the layout's flag VK_INDIRECT_COMMANDS_LAYOUT_USAGE_EXPLICIT_PREPROCESS_BIT_EXT says otherwise", g.preprocessed)
	}
	if len(g.layout.push) > 0 && b.bound.push == nil {
		b.bound.push = make([]byte, maxPush) // the API leaves push constants undefined after it
	}
	d := b.dispatch()
	d.title = "generated commands"
	g.dispatch = *d
	b.add(func(x *executor) error { return g.alone(x, g.execute) })
}

// generated checks what both commands are given.
func (b *commandBuffer) generated(info *vk.GeneratedCommandsInfoEXT) *generated {
	b.computes()
	wantComputeStage(info.ShaderStages)
	g := &generated{layout: use[*indirectLayout](b, uint64(info.IndirectCommandsLayout)), at: info.IndirectAddress, count: info.SequenceCountAddress, most: info.MaxSequenceCount}
	if info.IndirectExecutionSet != 0 {
		g.set = use[*executionSet](b, uint64(info.IndirectExecutionSet))
	}
	bytes := uint64(g.most) * uint64(g.layout.stride)
	switch {
	case (g.set != nil) != (g.layout.set >= 0):
		fail(vk.ErrorUnknown, "an execution set goes with a layout that has a token for it, and only with that")
	case g.most == 0 || g.most > maxGeneratedSequences:
		fail(vk.ErrorUnknown, "at most %d sequences: want 1 to %d", g.most, maxGeneratedSequences)
	case g.at == 0 || g.at%4 != 0 || g.count%4 != 0:
		fail(vk.ErrorUnknown, "sequences at %#x, their number at %#x: want multiples of 4, and some sequences", g.at, g.count)
	case info.IndirectAddressSize < bytes:
		fail(vk.ErrorUnknown, "%d bytes of sequences: want %d for %d of %d bytes", info.IndirectAddressSize, bytes, g.most, g.layout.stride)
	case info.PreprocessAddress == 0 || info.PreprocessSize < bytes:
		fail(vk.ErrorUnknown, "%d bytes to preprocess sequences at %#x: want %d, as vkGetGeneratedCommandsMemoryRequirementsEXT says", info.PreprocessSize, info.PreprocessAddress, bytes)
	}
	return g
}

// alone runs something by itself: what the device reads is known only when all before it has ended.
func (g *generated) alone(x *executor, do func(x *executor) error) error {
	switch {
	case x.batch != nil:
		x.batch.cut()
		x.batch.launch(x, ofCompute, &planned{runAlone: do, row: row{kind: "dispatch", name: "generated commands", pipeline: "generated commands"}})
		x.batch.cut()
		return nil
	case x.plan != nil:
		return fmt.Errorf("generated commands: a job has no sequences that the device reads")
	}
	return do(x)
}

// sequences reads the sequences that there are.
func (g *generated) sequences(x *executor) ([]byte, error) {
	n := g.most
	if g.count != 0 {
		count := x.device.gpu.Memory(g.count, 4)
		if count == nil {
			return nil, fmt.Errorf("generated commands: the number of sequences at %#x: no memory is there", g.count)
		}
		n = min(n, binary.LittleEndian.Uint32(count))
	}
	bytes := uint64(n) * uint64(g.layout.stride)
	list := x.device.gpu.Memory(g.at, bytes)
	if list == nil && n > 0 {
		return nil, fmt.Errorf("generated commands: %d sequences of %d bytes at %#x: not all of this is memory", n, g.layout.stride, g.at)
	}
	return list[:bytes], nil
}

// preprocess takes the time to read sequences and to write as much.
func preprocess(x *executor, list []byte) error {
	if len(list) == 0 {
		return nil
	}
	return (&timedWork{name: "preprocessing of generated commands", bytes: uint64(len(list)), action: func() {}}).run(x)
}

// execute dispatches the sequences. No barrier is between them, so that they may overlap, in order or not.
func (g *generated) execute(x *executor) error {
	list, err := g.sequences(x)
	if err != nil {
		return err
	}
	if !g.preprocessed {
		if err := preprocess(x, list); err != nil {
			return err
		}
	}
	p, follows := newPlan(x.device), x.notFirst
	if err := g.planSequences(x, p, list); err != nil {
		return err
	}
	for _, s := range p.segments {
		if s.launches() == 0 {
			continue
		}
		if err := s.run(x.device, follows); err != nil {
			return err
		}
		follows = true
	}
	x.notFirst = follows
	return nil
}

// planSequences plans the dispatches of sequences.
func (g *generated) planSequences(x *executor, p *plan, list []byte) error {
	state.Lock()
	defer state.Unlock()
	inner := x.copy()
	inner.batch, inner.lane = p, p.lane(x.queue)
	for i := uint32(0); len(list) > 0; i++ {
		d, err := g.sequence(i, list[:g.layout.stride])
		if err == nil {
			err = d.run(&inner)
		}
		if err != nil {
			return fmt.Errorf("generated commands: sequence %d: %w", i, err)
		}
		list = list[g.layout.stride:]
	}
	return nil
}

// sequence returns the dispatch of a sequence.
func (g *generated) sequence(number uint32, data []byte) (*dispatch, error) {
	d := g.dispatch
	if g.set != nil {
		i := binary.LittleEndian.Uint32(data[g.layout.set:])
		if uint64(i) >= uint64(len(g.set.pipelines)) || g.set.pipelines[i] == nil {
			return nil, fmt.Errorf("pipeline %d of an execution set of %d: none is there", i, len(g.set.pipelines))
		}
		d.pipeline = g.set.pipelines[i]
	}
	d.title = d.pipeline.title()
	d.push = make([]byte, maxPush)
	copy(d.push, g.push)
	for _, p := range g.layout.push {
		if p.index {
			binary.LittleEndian.PutUint32(d.push[p.to:], number)
			continue
		}
		copy(d.push[p.to:], data[p.from:p.from+p.bytes])
	}
	for i := range d.groups {
		d.groups[i] = binary.LittleEndian.Uint32(data[g.layout.dispatch+4*uint32(i):])
	}
	return &d, d.tooMany(d.groups)
}
