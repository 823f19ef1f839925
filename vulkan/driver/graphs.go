package driver

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"
	"unsafe"

	"spvsim/account"
	"spvsim/gpu"
	"spvsim/mem"
	"spvsim/program"
	"spvsim/vulkan/vk"
)

// Execution graphs (VK_AMDX_shader_enqueue).

// shaderIndexUnused is VK_SHADER_INDEX_UNUSED_AMDX: the shader's own index.
const shaderIndexUnused = ^uint32(0)

// CreateExecutionGraphPipelinesAMDX is vkCreateExecutionGraphPipelinesAMDX.
func CreateExecutionGraphPipelinesAMDX(h vk.Device, _ vk.PipelineCache, count uint32, infos *vk.ExecutionGraphPipelineCreateInfoAMDX, _ *vk.AllocationCallbacks, out *vk.Pipeline) vk.Result {
	d := get[*device_](uint64(h))
	to := items(out, count)
	clear(to)
	result := vk.Success
	for i, info := range items(infos, count) {
		p, err := d.graphPipeline(&info)
		if err != nil {
			report("vkCreateExecutionGraphPipelinesAMDX", misuse{vk.ErrorUnknown, err.Error()})
			result = vk.ErrorUnknown
			continue
		}
		to[i] = vk.Pipeline(put(p, d.handle))
		p.handle = uint64(to[i])
	}
	return result
}

// graphPipeline lowers the nodes of a graph; those of a library are kept for the graphs that link it.
func (d *device_) graphPipeline(info *vk.ExecutionGraphPipelineCreateInfoAMDX) (*pipeline, error) {
	p := &pipeline{device: d, layout: get[*pipelineLayout](uint64(info.Layout)), entry: "graph", digest: fmt.Sprintf("of %d nodes", info.StageCount)}
	stages := items(info.PStages, info.StageCount)
	for i := range stages {
		n, err := d.node(&stages[i])
		if err != nil {
			return nil, fmt.Errorf("stage %d: %w", i, err)
		}
		p.nodes = append(p.nodes, n)
	}
	if l := info.PLibraryInfo; l != nil {
		for _, h := range items(l.PLibraries, l.LibraryCount) {
			p.nodes = append(p.nodes, get[*pipeline](uint64(h)).nodes...)
		}
	}
	if info.Flags&vk.PipelineCreateLibraryBitKhr != 0 {
		return p, nil
	}
	var err error
	p.graph, err = d.connect(slices.Clone(p.nodes))
	return p, err
}

// connect lowers and connects nodes, which may take long.
func (d *device_) connect(nodes []gpu.GraphNode) (*gpu.Graph, error) {
	state.Unlock()
	defer state.Lock()
	return d.gpu.Graph(nodes)
}

func (d *device_) node(s *vk.PipelineShaderStageCreateInfo) (n gpu.GraphNode, err error) {
	m, err := d.stageModule(s)
	if err != nil {
		return n, err
	}
	n = gpu.GraphNode{KernelSetup: gpu.KernelSetup{Module: m.module, Entry: text(s.PName), Specialization: specialization(s.PSpecializationInfo)}}
	if n.WaveSize, err = d.requiredWave(s); err != nil {
		return n, err
	}
	if i := next[vk.PipelineShaderStageNodeCreateInfoAMDX](s.PNext, vk.StructureTypePipelineShaderStageNodeCreateInfoAmdx); i != nil {
		n.Name = text(i.PName)
		if i.Index != shaderIndexUnused {
			n.Index, n.HasIndex = i.Index, true
		}
	}
	return n, nil
}

// graphOf is the graph of a pipeline.
func graphOf(h vk.Pipeline) *gpu.Graph {
	p := get[*pipeline](uint64(h))
	if p.graph == nil {
		fail(vk.ErrorUnknown, "the pipeline is no execution graph, or only a library of nodes")
	}
	return p.graph
}

// GetExecutionGraphPipelineNodeIndexAMDX is vkGetExecutionGraphPipelineNodeIndexAMDX.
func GetExecutionGraphPipelineNodeIndexAMDX(_ vk.Device, h vk.Pipeline, info *vk.PipelineShaderStageNodeCreateInfoAMDX, out *uint32) vk.Result {
	i := graphOf(h).Node(text(info.PName), info.Index)
	if i < 0 {
		fail(vk.ErrorUnknown, "no node is %s[%d]", text(info.PName), info.Index)
	}
	*out = uint32(i)
	return vk.Success
}

// scratchStep is the granularity of scratch memory in bytes.
const scratchStep = 256

// GetExecutionGraphPipelineScratchSizeAMDX is vkGetExecutionGraphPipelineScratchSizeAMDX.
func GetExecutionGraphPipelineScratchSizeAMDX(h vk.Device, p vk.Pipeline, out *vk.ExecutionGraphPipelineScratchSizeAMDX) vk.Result {
	least, most := get[*device_](uint64(h)).gpu.ScratchBytes(graphOf(p))
	up := func(n uint64) uint64 { return (n + scratchStep - 1) / scratchStep * scratchStep }
	out.MinSize, out.MaxSize, out.SizeGranularity = up(least), up(most), scratchStep
	return vk.Success
}

// CmdInitializeGraphScratchMemoryAMDX is vkCmdInitializeGraphScratchMemoryAMDX. The machine keeps payloads apart from the
// application's memory, of which it uses the size.
func CmdInitializeGraphScratchMemoryAMDX(h vk.CommandBuffer, p vk.Pipeline, scratch, size uint64) {
	b := record(h)
	graphOf(p)
	b.device.checkScratch(scratch, size)
}

// checkScratch refuses scratch memory that is not there.
func (d *device_) checkScratch(address, size uint64) {
	for _, o := range objects {
		if m, ok := o.x.(*memory); ok && address-m.addr < m.size && size <= m.size-(address-m.addr) {
			return
		}
	}
	if size > 0 {
		fail(vk.ErrorUnknown, "scratch memory of %d bytes at %#x: no memory is there", size, address)
	}
}

// A graphDispatch is one with what was bound when it was recorded.
type graphDispatch struct {
	dispatch
	scratch uint64
	input   gpu.GraphInput
}

func (b *commandBuffer) graphDispatch(scratch, size uint64) *graphDispatch {
	p := b.bound.graph
	if p == nil || p.graph == nil {
		fail(vk.ErrorUnknown, "no execution graph is bound")
	}
	b.device.checkScratch(scratch, size)
	g := &graphDispatch{dispatch: dispatch{bindings: b.bound, title: p.title()}, scratch: size}
	g.sets = slices.Clone(b.bound.graphSets)
	return g
}

// CmdDispatchGraphAMDX is vkCmdDispatchGraphAMDX: infos and payloads are the host's.
func CmdDispatchGraphAMDX(h vk.CommandBuffer, scratch, size uint64, info *vk.DispatchGraphCountInfoAMDX) {
	b := record(h)
	g := b.graphDispatch(scratch, size)
	at := *(*unsafe.Pointer)(unsafe.Pointer(&info.Infos))
	for i := range info.Count {
		n := (*vk.DispatchGraphInfoAMDX)(unsafe.Add(at, uint64(i)*info.Stride))
		g.input.Entries = append(g.input.Entries, g.bindings.graph.payloads(n))
	}
	b.add(g.run)
}

// payloads copies the payloads of an info.
func (p *pipeline) payloads(n *vk.DispatchGraphInfoAMDX) gpu.GraphEntry {
	e := gpu.GraphEntry{Node: int(n.NodeIndex), Count: n.PayloadCount, Stride: n.PayloadStride}
	one := p.graph.PayloadBytes(e.Node)
	if one == 0 || e.Count == 0 {
		e.Stride = 0
		return e
	}
	if e.Stride > 1<<32 {
		fail(vk.ErrorUnknown, "payloads %d bytes apart", e.Stride)
	}
	from := *(*unsafe.Pointer)(unsafe.Pointer(&n.Payloads))
	e.Payloads = slices.Clone(unsafe.Slice((*byte)(from), uint64(e.Count-1)*e.Stride+one))
	return e
}

// CmdDispatchGraphIndirectAMDX is vkCmdDispatchGraphIndirectAMDX: infos and payloads are in device memory.
func CmdDispatchGraphIndirectAMDX(h vk.CommandBuffer, scratch, size uint64, info *vk.DispatchGraphCountInfoAMDX) {
	b := record(h)
	g := b.graphDispatch(scratch, size)
	g.input = gpu.GraphInput{InfosInMemory: true, Infos: info.Infos[0], Count: info.Count, Stride: info.Stride}
	b.add(g.run)
}

// CmdDispatchGraphIndirectCountAMDX is vkCmdDispatchGraphIndirectCountAMDX: their number is in device memory too.
func CmdDispatchGraphIndirectCountAMDX(h vk.CommandBuffer, scratch, size, countInfo uint64) {
	b := record(h)
	g := b.graphDispatch(scratch, size)
	if countInfo == 0 {
		fail(vk.ErrorUnknown, "no address of a count info")
	}
	g.input = gpu.GraphInput{InfosInMemory: true, CountInfo: countInfo}
	b.add(g.run)
}

// run executes the graph on the machine.
func (g *graphDispatch) run(x *executor) error {
	name := labelled(x.labels, g.title)
	if x.plan != nil {
		return x.plan.addGraph(name, g)
	}
	begin, started := x.device.gpu.Cycle(), time.Now()
	counts, file, err := g.execute(x, name)
	x.follows = true
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	x.device.record(x, &row{
		kind: "graph", name: name, entry: g.graph.entry, module: g.graph.digest, begin: begin, counts: *counts, captured: file, host: time.Since(started),
	})
	return nil
}

// execute runs the graph where it is, or as a job where it is to be captured.
func (g *graphDispatch) execute(x *executor, name string) (counts *account.Counts, captured string, err error) {
	if counts, file, told := x.tell(); told {
		return counts, file, nil
	}
	if c := x.device.captures; c.takes(name) {
		told, err := c.run(x.device, name, func(p *capture) error { return p.addGraph(name, g) })
		if err == nil {
			counts, file := told.next(x.device)
			return counts, file, nil
		}
		fmt.Fprintf(os.Stderr, "spvsim: %s is not captured: %v\n", name, err)
	}
	counts, err = x.device.gpu.RunGraph(context.Background(), &gpu.GraphDispatch{
		Name: name, Graph: g.graph.graph, Scratch: g.scratch, Input: g.input, Push: g.push,
		Elements: func(p *program.Program) [][]mem.Descriptor { return g.elementsOf(p) },
	})
	return counts, "", err
}
