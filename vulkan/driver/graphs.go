package driver

import (
	"context"
	"crypto/sha256"
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

func CreateExecutionGraphPipelinesAMDX(h vk.Device, cache vk.PipelineCache, count uint32, infos *vk.ExecutionGraphPipelineCreateInfoAMDX, _ *vk.AllocationCallbacks, out *vk.Pipeline) vk.Result {
	d, c := mustLookUp[*logicalDevice](uint64(h)), optional[*pipelineCache](uint64(cache))
	to := items(out, count)
	clear(to)
	result := vk.Success
	for i, info := range items(infos, count) {
		began := time.Now()
		p, found, err := d.graphPipeline(&info, c)
		feedBack(info.PNext, found, time.Since(began))
		if err != nil {
			refuse("vkCreateExecutionGraphPipelinesAMDX", misuse{vk.ErrorUnknown, err.Error()})
			result = vk.ErrorUnknown
			continue
		}
		to[i] = vk.Pipeline(addObject(p, d.handle))
		p.handle = uint64(to[i])
	}
	return result
}

// graphPipeline lowers the nodes of a graph; those of a library are stored for the graphs that link it. found: the
// application's cache had all programs.
func (d *logicalDevice) graphPipeline(info *vk.ExecutionGraphPipelineCreateInfoAMDX, c *pipelineCache) (p *pipeline, found bool, err error) {
	p = &pipeline{device: d, layout: mustLookUp[*pipelineLayout](uint64(info.Layout)), entry: "graph", digest: fmt.Sprintf("of %d nodes", info.StageCount)}
	stages := items(info.PStages, info.StageCount)
	for i := range stages {
		n, sum, err := d.node(&stages[i])
		if err != nil {
			return nil, false, fmt.Errorf("stage %d: %w", i, err)
		}
		p.nodes, p.sums = append(p.nodes, n), append(p.sums, sum)
	}
	if l := info.PLibraryInfo; l != nil {
		for _, h := range items(l.PLibraries, l.LibraryCount) {
			library := mustLookUp[*pipeline](uint64(h))
			p.nodes, p.sums = append(p.nodes, library.nodes...), append(p.sums, library.sums...)
		}
	}
	if info.Flags&vk.PipelineCreateLibraryBitKhr != 0 {
		return p, false, nil
	}
	if found, err = p.connect(c); err != nil {
		return nil, false, err
	}
	for i, prog := range p.graph.Programs() {
		if err := p.layout.accepts(prog); err != nil {
			return nil, false, fmt.Errorf("node %d: %w", i, err)
		}
	}
	return p, found, nil
}

// connect lowers the nodes that no cache has, and connects all.
func (p *pipeline) connect(c *pipelineCache) (found bool, err error) {
	d, nodes := p.device, slices.Clone(p.nodes)
	keys := d.nodeKeys(nodes, p.sums)
	found = true
	for i := range nodes {
		found = found && c.lookup(keys[i]) != nil
		nodes[i].Program = d.restoredProgram(keys[i], c, true)
	}
	if p.graph, err = d.lowerGraph(nodes); err != nil {
		return false, err
	}
	for i, prog := range p.graph.Programs() {
		if nodes[i].Program == nil {
			d.storeProgram(keys[i], c, prog)
		}
	}
	return found, nil
}

// nodeKeys returns the keys of the nodes' programs; lowering a node depends on all nodes.
func (d *logicalDevice) nodeKeys(nodes []gpu.GraphNode, sums [][sha256.Size]byte) (list []programKey) {
	all := sha256.New()
	for i := range nodes {
		n := &nodes[i]
		k := d.keyOf(sums[i], &n.KernelSetup)
		fmt.Fprintf(all, "%x %q %d %t\n", k, n.Name, n.Index, n.HasIndex)
	}
	whole := all.Sum(nil)
	for i := range nodes {
		list = append(list, sha256.Sum256(fmt.Appendf(nil, "%x node %d", whole, i)))
	}
	return list
}

// lowerGraph lowers and connects nodes; this may take long, so it releases state.
func (d *logicalDevice) lowerGraph(nodes []gpu.GraphNode) (*gpu.Graph, error) {
	state.Unlock()
	defer state.Lock()
	return d.gpu.Graph(nodes)
}

func (d *logicalDevice) node(s *vk.PipelineShaderStageCreateInfo) (n gpu.GraphNode, sum [sha256.Size]byte, err error) {
	m, err := d.stageModule(s)
	if err != nil {
		return n, sum, err
	}
	module, err := m.read()
	if err != nil {
		return n, sum, err
	}
	n = gpu.GraphNode{KernelSetup: gpu.KernelSetup{Module: module, Entry: text(s.PName), Specialization: specialization(s.PSpecializationInfo)}}
	if n.WaveSize, err = d.requiredWave(s); err != nil {
		return n, sum, err
	}
	if i := next[vk.PipelineShaderStageNodeCreateInfoAMDX](s.PNext, vk.StructureTypePipelineShaderStageNodeCreateInfoAmdx); i != nil {
		n.Name = text(i.PName)
		if i.Index != shaderIndexUnused {
			n.Index, n.HasIndex = i.Index, true
		}
	}
	return n, m.sum, nil
}

func graphOf(h vk.Pipeline) *gpu.Graph {
	p := mustLookUp[*pipeline](uint64(h))
	if p.graph == nil {
		fail(vk.ErrorUnknown, "the pipeline is not an execution graph, or only a library of nodes")
	}
	return p.graph
}

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

func GetExecutionGraphPipelineScratchSizeAMDX(h vk.Device, p vk.Pipeline, out *vk.ExecutionGraphPipelineScratchSizeAMDX) vk.Result {
	least, most := mustLookUp[*logicalDevice](uint64(h)).gpu.ScratchBytes(graphOf(p))
	up := func(n uint64) uint64 { return (n + scratchStep - 1) / scratchStep * scratchStep }
	out.MinSize, out.MaxSize, out.SizeGranularity = up(least), up(most), scratchStep
	return vk.Success
}

// CmdInitializeGraphScratchMemoryAMDX is vkCmdInitializeGraphScratchMemoryAMDX. The machine stores payloads outside the
// application's memory, and only uses the size of the scratch memory.
func CmdInitializeGraphScratchMemoryAMDX(h vk.CommandBuffer, p vk.Pipeline, scratch, size uint64) {
	b := record(h)
	graphOf(p)
	b.device.checkScratch(scratch, size)
}

// checkScratch refuses scratch memory that is not there.
func (d *logicalDevice) checkScratch(address, size uint64) {
	for _, o := range objects {
		if m, ok := o.x.(*memory); ok && address-m.addr < m.size && size <= m.size-(address-m.addr) {
			return
		}
	}
	if size > 0 {
		fail(vk.ErrorUnknown, "scratch memory of %d bytes at %#x: no memory is there", size, address)
	}
}

// A graphDispatch holds the bindings at the time of its recording.
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
	g := &graphDispatch{dispatch: dispatch{bindings: b.bound, title: p.title(), programs: p.graph.Programs()}, scratch: size}
	g.sets = slices.Clone(b.bound.graphSets)
	b.checkBound(&g.dispatch, p.layout)
	return g
}

// CmdDispatchGraphAMDX is vkCmdDispatchGraphAMDX: infos and payloads are the host's.
func CmdDispatchGraphAMDX(h vk.CommandBuffer, scratch, size uint64, info *vk.DispatchGraphCountInfoAMDX) {
	b := record(h)
	g := b.graphDispatch(scratch, size)
	at := *(*unsafe.Pointer)(unsafe.Pointer(&info.Infos))
	if info.Count > mostInfos {
		fail(vk.ErrorOutOfHostMemory, "%d infos: want at most %d", info.Count, mostInfos)
	}
	bytes := uint64(0)
	for i := range info.Count {
		n := (*vk.DispatchGraphInfoAMDX)(unsafe.Add(at, uint64(i)*info.Stride))
		g.input.Entries = append(g.input.Entries, g.bindings.graph.payloads(n, &bytes))
	}
	b.add(g.run)
}

// mostInfos bounds the infos of a graph dispatch.
const mostInfos = 1 << 16

// payloads copies the payloads of an info, and adds to bytes, the total over all infos of a dispatch.
func (p *pipeline) payloads(n *vk.DispatchGraphInfoAMDX, bytes *uint64) gpu.GraphEntry {
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
	size := uint64(e.Count-1)*e.Stride + one
	if *bytes += size; size > mostHostBytes || *bytes > mostHostBytes {
		fail(vk.ErrorOutOfHostMemory, "%d payloads %d bytes apart: the payloads of a dispatch take at most %d bytes", e.Count, e.Stride, mostHostBytes)
	}
	e.Payloads = slices.Clone(unsafe.Slice((*byte)(from), size))
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
	if x.batch != nil {
		return x.batch.graph(x, g)
	}
	name := labelled(x.labels, g.title)
	if x.plan != nil {
		return x.plan.addGraph(name, g)
	}
	begin, started := x.device.gpu.Cycle(), time.Now()
	counts, file, err := g.execute(x, name)
	x.notFirst = false // its launch costs as much as a first one
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	busy := x.busy(counts)
	x.notFirst = true
	x.device.record(x, &row{
		busy: busy, kind: "graph", name: name, pipeline: g.title, entry: g.graph.entry, module: g.graph.digest, beginCycle: begin, counts: *counts, captured: file, host: time.Since(started),
	})
	return nil
}

// execute runs the graph directly, or as a job if it is to be captured.
func (g *graphDispatch) execute(x *executor, name string) (counts *account.Counts, captured string, err error) {
	if counts, file, told := x.nextReplayed(); told {
		return counts, file, nil
	}
	if c := x.device.captures; c.capturesAlone(name) {
		told, err := c.run(x.device, name, func(p *capture) error { return p.addGraph(name, g) })
		if err == nil {
			counts, file := told.next(x.device)
			return counts, file, nil
		}
		fmt.Fprintf(os.Stderr, "spvsim: %s is not captured: %v\n", name, err)
	}
	x.device.observers.waves.run(func() {
		counts, err = x.device.gpu.RunGraph(context.Background(), &gpu.GraphDispatch{
			Name: name, Untimed: x.device.untimed(name), Graph: g.graph.graph, Scratch: g.scratch, Input: g.input, Push: g.push,
			Elements: func(p *program.Program) [][]mem.Descriptor { return g.elementsOf(p) },
		})
	}, name)
	return counts, "", err
}
