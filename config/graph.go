package config

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Node is an entry point as a node of an execution graph.
type Node struct {
	Graph          string           `yaml:"graph" doc:"name of the node's graph, if the job has several graphs, which may run side by side; left out: the graph without a name"`
	Shader         string           `yaml:"shader" doc:"a .spv or .spvasm file, relative to the job file; left out: the job's"`
	Entry          string           `yaml:"entry" doc:"entry point; may be left out if the module has only one"`
	Name           string           `yaml:"name" doc:"name that payloads are enqueued to; left out: the entry point's"`
	Index          Expr             `yaml:"index" doc:"index among the nodes of the name; left out: ShaderIndexAMDX, or 0"`
	Specialization []Specialization `yaml:"specialization" form:"map" doc:"specialization constants by SpecId (or by OpName), over the job's"`
	Strings        []NameString     `yaml:"strings" doc:"values of OpSpecConstantStringAMDX"`
	Input          string           `yaml:"input" doc:"variable of the input payload, by OpName or id, if the module leaves open which it is; none: the node has no input payload"`
	WaveSize       int              `yaml:"wave_size" enum:"0|16|32|64" unit:"lanes" doc:"wave size of the node; 0: the job's"`
	Priority       Expr             `yaml:"priority" doc:"priority of the node, under the machine's queue.arbitration priority: payloads of the node with the higher number go first; left out: 0"`
	Bindings       []NodeBinding    `yaml:"bindings" doc:"buffers or images at some bindings of this node, instead of those that the job binds there"`
	Samplers       []Sampler        `yaml:"samplers" doc:"samplers of this node, over the job's"`
}

// NodeBinding binds a buffer of the job in one node or step, as local arguments of a node do: nodes compiled with the
// same bindings can work on different buffers.
type NodeBinding struct {
	Set     uint32 `yaml:"set" doc:"descriptor set"`
	Binding uint32 `yaml:"binding" doc:"binding"`
	Index   uint32 `yaml:"index" doc:"element of a descriptor array"`
	Buffer  string `yaml:"buffer" doc:"name of the buffer or image"`
}

// NameString is the value of a string constant.
type NameString struct {
	ID    uint32 `yaml:"id" doc:"SpecId, when no name is given"`
	Name  string `yaml:"name" doc:"OpName of the constant"`
	Value string `yaml:"value" doc:"value of the constant"`
}

// GraphDispatch dispatches payloads to a node of the graph.
type GraphDispatch struct {
	Graph    string    `yaml:"graph" doc:"name of the graph; the same for all payloads that are dispatched at once; left out: the graph without a name"`
	Node     string    `yaml:"node" doc:"name of the node"`
	Index    Expr      `yaml:"index" doc:"index of the node; left out: 0"`
	Count    Expr      `yaml:"count" doc:"number of payloads; left out: as many as are given, or 1"`
	Payloads []Payload `yaml:"payloads" doc:"payloads one by one"`
	Data     *Data     `yaml:"data" doc:"payloads as bytes"`
	Stride   Expr      `yaml:"stride" unit:"bytes" doc:"distance from one payload in data or buffer to the next; 0: the first payload, count times; left out: the size of the node's payload"`
	Buffer   string    `yaml:"buffer" doc:"name of a buffer with the payloads, read when the dispatch begins"`
	Offset   Expr      `yaml:"offset" unit:"bytes" doc:"first payload in buffer; left out: 0"`

	Indirect *GraphIndirect `yaml:"indirect" doc:"instead of all other keys but graph: nodes, counts and addresses in buffers, read when the dispatch begins"`
}

// GraphIndirect describes the infos of an indirect dispatch, laid out as VkDispatchGraphInfoAMDX and
// VkDispatchGraphCountInfoAMDX.
type GraphIndirect struct {
	Infos     string `yaml:"infos" doc:"buffer of infos, each of 24 bytes: node as u32 (its place among the nodes of the graph, from 0), payload count as u32, address of the payloads as u64, stride as u64"`
	CountInfo string `yaml:"count_info" doc:"instead of infos: buffer with 24 bytes that say where they are: their count as u32, 4 bytes unused, address as u64, stride as u64"`
	Offset    Expr   `yaml:"offset" unit:"bytes" doc:"first byte read of the buffer; left out: 0"`
	Count     Expr   `yaml:"count" doc:"number of infos; left out: 1"`
	Stride    Expr   `yaml:"stride" unit:"bytes" doc:"distance from one info to the next; left out: 24"`
}

// Payload is one payload: values of one type, generated data, or both in this order.
type Payload struct {
	Typed Typed
	Data  *Data `yaml:"data" doc:"generated contents"`
}

// MeshOutput names a buffer for the output of a mesh node's workgroups.
type MeshOutput struct {
	Graph  string `yaml:"graph" doc:"name of its graph; left out: the graph without a name"`
	Node   string `yaml:"node" doc:"name of the mesh node"`
	Index  Expr   `yaml:"index" doc:"index of the node; left out: 0"`
	Output string `yaml:"output" doc:"output: its OpName or built-in in the module, or indices or counts"`
	Buffer string `yaml:"buffer" doc:"name of the buffer"`
}

// MaxPayloadBytes bounds the payloads of one entry of graph.
const MaxPayloadBytes = 1 << 28

// Limits of the graph of a job.
const (
	maxPayloads    = 1 << 24
	maxGraphRounds = 1 << 20
	maxScratch     = 1 << 36
	maxInfos       = 1 << 16 // of one indirect dispatch
)

// GraphWork is a graph of a job with all expressions evaluated.
type GraphWork struct {
	Name        string // may be empty
	Nodes       []GraphNode
	Dispatches  []PayloadDispatch
	MeshOutputs []MeshTarget
	// Scratch is in bytes, or negative: the machine's.
	Scratch int64
	Repeat  int
}

// GraphNode is a node of a graph. Launch describes its program, without a dispatch.
type GraphNode struct {
	Launch
	Name     string // empty: the entry point's
	Index    uint32
	HasIndex bool
	Input    string // variable of the input payload; empty: the module's
	Priority int
}

// PayloadDispatch is one entry of a graph dispatch.
type PayloadDispatch struct {
	Graph  string
	Node   string
	Index  uint32
	Count  uint64 // meaningful if HasCount
	Stride int64  // bytes; negative: the size of the node's payload
	Data   Content
	// Lengths are the sizes in bytes of the individually written payloads, before layout; nil: the job has Data.
	Lengths []int
	// The job sets a count, or contents.
	HasCount, HasData bool
	Buffer            string // buffer of the payloads, from Offset on; empty: they are in Data
	Offset            uint64
	Indirect          *InfosAt // instead of all else
}

// InfosAt is the location of an indirect dispatch's infos.
type InfosAt struct {
	Buffer string
	Offset uint64
	// If Counted, the buffer holds a count info; else Count infos, Stride bytes apart.
	Counted bool
	Count   uint32
	Stride  uint64
}

// MeshTarget names the buffer of a mesh node's output.
type MeshTarget struct {
	Node   string
	Index  uint32
	Output string
	Buffer string
}

// IsGraph reports whether the job runs an execution graph.
func (j *Job) IsGraph() bool { return len(j.Nodes) > 0 || len(j.Graph) > 0 }

func ruleGraph(j *Job) []problem {
	var ps []problem
	if !j.IsGraph() {
		for _, f := range []struct {
			name  string
			given bool
		}{{"scratch_bytes", j.ScratchBytes != ""}, {"graph_repeat", j.GraphRepeat != ""}, {"mesh_outputs", len(j.MeshOutputs) > 0}} {
			if f.given {
				ps = append(ps, problem{f.name, "found in a job without a graph: want nodes and graph too", ErrRange})
			}
		}
		return ps
	}
	switch {
	case len(j.Nodes) == 0:
		ps = append(ps, problem{"nodes", "missing: want the nodes of the graph", ErrMissing})
	case len(j.Graph) == 0 && !slices.ContainsFunc(j.allSteps(), stepsDispatch):
		ps = append(ps, problem{"graph", "missing: want payloads to dispatch to the graph", ErrMissing})
	case len(j.Graph) > 0 && (len(j.Dispatch) > 0 || len(j.Steps) > 0) || len(j.Dispatch) > 0 || len(j.Global) > 0:
		ps = append(ps, problem{"graph", "found graph and dispatch or steps: want one of them (a step can have graph)", ErrRange})
	case (len(j.Steps) > 0 || len(j.Queues) > 0) && j.GraphRepeat != "":
		ps = append(ps, problem{"graph_repeat", "found in a job with steps: want a loop (for) around the step", ErrRange})
	}
	ps = append(ps, j.nodeProblems()...)
	ps = append(ps, j.dispatchProblems(j.Graph, "graph")...)
	return append(ps, j.meshProblems()...)
}

// stepsDispatch reports whether a step dispatches to the graph.
func stepsDispatch(steps []Step) bool {
	return slices.ContainsFunc(steps, func(s Step) bool { return len(s.Graph) > 0 || stepsDispatch(s.Steps) })
}

func (j *Job) nodeProblems() []problem {
	var ps []problem
	for i := range j.Nodes {
		n, p := &j.Nodes[i], indexPath("nodes", i)
		if n.Shader == "" && j.Shader == "" {
			ps = append(ps, problem{p + ".shader", "missing: want a .spv or .spvasm file, here or in the job", ErrMissing})
		}
		for k := range n.Samplers {
			ps = append(ps, indexProblems(n.Samplers[k].Index, indexPath(p+".samplers", k))...)
		}
		for k := range n.Bindings {
			ps = append(ps, j.bufferProblems(n.Bindings[k].Buffer, indexPath(p+".bindings", k)+".buffer")...)
		}
		for k, o := range j.Nodes[:i] {
			if n.Graph == o.Graph && n.Name != "" && n.Name == o.Name && n.Index != "" && n.Index == o.Index { // missing indexes come from the module
				ps = append(ps, problem{p, fmt.Sprintf("found name %q and an index that nodes[%d] has too: want another index", n.Name, k), ErrRange})
			}
		}
	}
	return ps
}

func (j *Job) dispatchProblems(list []GraphDispatch, at string) []problem {
	var ps []problem
	for i := range list {
		d, p := &list[i], indexPath(at, i)
		if bad := j.graphProblems(d.Graph, list[0].Graph, p+".graph"); bad != nil {
			ps = append(ps, bad...)
			continue
		}
		if d.Indirect != nil {
			ps = append(ps, j.indirectProblems(d, p)...)
			continue
		}
		if d.Buffer != "" {
			ps = append(ps, j.bufferProblems(d.Buffer, p+".buffer")...)
		}
		switch {
		case d.Buffer != "" && (len(d.Payloads) > 0 || d.Data != nil):
			ps = append(ps, problem{p, "found buffer and payloads or data: want one of them", ErrRange})
		case d.Buffer == "" && d.Offset != "":
			ps = append(ps, problem{p + ".offset", "found an offset without buffer: want buffer too", ErrRange})
		case d.Node == "":
			ps = append(ps, problem{p + ".node", "missing: want the name of a node", ErrMissing})
		case len(d.Payloads) > 0 && d.Data != nil:
			ps = append(ps, problem{p, "found payloads and data: want one of them", ErrRange})
		case d.Stride != "" && d.Data == nil && d.Buffer == "" && len(d.Payloads) != 1:
			ps = append(ps, problem{p + ".stride", "found a stride for several payloads: want data, or one payload that is repeated", ErrRange})
		}
		ps = append(ps, j.nameProblems(d.Graph, d.Node, p+".node")...)
		if d.Data != nil {
			ps = append(ps, dataProblems(d.Data, p+".data", j)...)
		}
		for k := range d.Payloads {
			if d.Payloads[k].Data != nil {
				ps = append(ps, dataProblems(d.Payloads[k].Data, indexPath(p+".payloads", k)+".data", j)...)
			}
		}
	}
	return ps
}

func (j *Job) indirectProblems(d *GraphDispatch, at string) []problem {
	x, p := d.Indirect, at+".indirect"
	others := *d
	others.Indirect, others.Graph = nil, ""
	switch {
	case !reflect.DeepEqual(others, GraphDispatch{}):
		return []problem{{at, "found indirect and another key: indirect replaces all keys but graph", ErrRange}}
	case (x.Infos == "") == (x.CountInfo == ""):
		return []problem{{p, "found both or neither of infos and count_info: want one of them", ErrMissing}}
	case x.CountInfo != "" && (x.Count != "" || x.Stride != ""):
		return []problem{{p, "found count_info and count or stride: the buffer of count_info has both", ErrRange}}
	case x.CountInfo != "":
		return j.bufferProblems(x.CountInfo, p+".count_info")
	}
	return j.bufferProblems(x.Infos, p+".infos")
}

// graphNames are the names of the job's graphs, in the order of their first nodes.
func (j *Job) graphNames() (names []string) {
	for i := range j.Nodes {
		if name := j.Nodes[i].Graph; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// graphProblems checks the name of a graph: it has to exist, and equal that of the first payloads of the dispatch.
func (j *Job) graphProblems(name, first, at string) []problem {
	known := j.graphNames()
	switch {
	case name != first:
		return []problem{{at, fmt.Sprintf("found %q after %q: want one graph for all payloads of a dispatch", name, first), ErrRange}}
	case len(known) == 0 || slices.Contains(known, name):
		return nil
	}
	return []problem{{at, fmt.Sprintf("found %q: want the name of a graph, one of %q%s", name, known, Hint(name, known)), ErrReference}}
}

// nameProblems checks the name of a graph's node, if the job names all nodes.
func (j *Job) nameProblems(graph, name, at string) []problem {
	var known []string
	for i := range j.Nodes {
		if j.Nodes[i].Graph != graph {
			continue
		}
		n := cmp.Or(j.Nodes[i].Name, j.Nodes[i].Entry)
		if n == "" {
			return nil // the module has it
		}
		known = append(known, n)
	}
	if name == "" || len(known) == 0 || slices.Contains(known, name) {
		return nil
	}
	msg := fmt.Sprintf("found %q: want the name of a node, one of %s%s", name, strings.Join(known, ", "), Hint(name, known))
	return []problem{{at, msg, ErrReference}}
}

func (j *Job) meshProblems() []problem {
	var ps []problem
	for i := range j.MeshOutputs {
		m, p := &j.MeshOutputs[i], indexPath("mesh_outputs", i)
		if m.Output == "" {
			ps = append(ps, problem{p + ".output", "missing: want the name of an output", ErrMissing})
		}
		ps = append(ps, j.graphProblems(m.Graph, m.Graph, p+".graph")...)
		ps = append(ps, j.nameProblems(m.Graph, m.Node, p+".node")...)
		ps = append(ps, j.bufferProblems(m.Buffer, p+".buffer")...)
	}
	return ps
}

// GraphWork works the job's graphs out, in the order of their first nodes.
func (j *Job) GraphWork() ([]GraphWork, error) {
	list, ps := j.graphWork()
	return list, withPositions(ps, j.positions)
}

func (j *Job) graphWork() (list []GraphWork, ps []problem) {
	for _, name := range j.graphNames() {
		g, bad := j.oneGraph(name)
		list, ps = append(list, *g), append(ps, bad...)
	}
	return list, ps
}

func (j *Job) oneGraph(name string) (*GraphWork, []problem) {
	g := &GraphWork{Name: name}
	var ps []problem
	note := func(path string, err error) {
		if err != nil {
			ps = append(ps, j.inherited(path, err))
		}
	}
	scratch, err := unlessAbsent(j.ScratchBytes, j.scope, maxScratch)
	note("scratch_bytes", err)
	repeat, err := j.GraphRepeat.evalInt(j.scope, 1, 1, maxGraphRounds)
	note("graph_repeat", err)
	g.Scratch, g.Repeat = scratch, int(repeat)
	for i := range j.Nodes {
		if j.Nodes[i].Graph != name {
			continue
		}
		n, err := j.graphNode(&j.Nodes[i])
		n.Path = indexPath("nodes", i)
		note(n.Path, err)
		g.Nodes = append(g.Nodes, n)
	}
	for i := range j.Graph {
		if j.Graph[i].Graph != name {
			continue
		}
		d, err := j.payloadDispatch(&j.Graph[i], j.scope)
		note(indexPath("graph", i), err)
		g.Dispatches = append(g.Dispatches, d)
	}
	for i := range j.MeshOutputs {
		m := &j.MeshOutputs[i]
		if m.Graph != name {
			continue
		}
		index, err := m.Index.evalInt(j.scope, 0, 0, math.MaxUint32)
		note(indexPath("mesh_outputs", i)+".index", err)
		g.MeshOutputs = append(g.MeshOutputs, MeshTarget{m.Node, uint32(index), m.Output, m.Buffer})
	}
	return g, ps
}

// unlessAbsent evaluates an expression from 0 to high; -1 if it is missing.
func unlessAbsent(e Expr, s scope, high int64) (int64, error) {
	if e == "" {
		return -1, nil
	}
	return e.evalInt(s, 0, 0, high)
}

// infoBytes is the size of an info and of a count info.
const infoBytes = 24

// location evaluates the location of the infos.
func (x *GraphIndirect) location(s scope) (*InfosAt, error) {
	out := &InfosAt{Buffer: x.Infos, Counted: x.CountInfo != ""}
	if out.Counted {
		out.Buffer = x.CountInfo
	}
	offset, err := x.Offset.evalInt(s, 0, 0, maxDataBytes)
	if err != nil {
		return out, underKey("indirect.offset", err)
	}
	count, err := x.Count.evalInt(s, 1, 0, maxInfos)
	if err != nil {
		return out, underKey("indirect.count", err)
	}
	stride, err := x.Stride.evalInt(s, infoBytes, 0, math.MaxInt32)
	if err != nil {
		return out, underKey("indirect.stride", err)
	}
	out.Offset, out.Count, out.Stride = uint64(offset), uint32(count), uint64(stride)
	return out, nil
}

// maxPriority bounds the priorities of nodes, above and below zero.
const maxPriority = 1 << 20

func (j *Job) graphNode(n *Node) (GraphNode, error) {
	out := GraphNode{Name: n.Name, HasIndex: n.Index != "", Input: n.Input}
	out.Shader, out.Entry, out.Strings, out.Bindings = n.Shader, n.Entry, n.Strings, n.Bindings
	out.Samplers, out.WaveSize = n.Samplers, n.WaveSize
	out.Shader = cmp.Or(out.Shader, j.Shader)
	index, err := n.Index.evalInt(j.scope, 0, 0, math.MaxUint32)
	if err != nil {
		return out, underKey("index", err)
	}
	out.Index = uint32(index)
	priority, err := n.Priority.evalInt(j.scope, 0, -maxPriority, maxPriority)
	if err != nil {
		return out, underKey("priority", err)
	}
	out.Priority = int(priority)
	for _, sp := range slices.Concat(j.Specialization, n.Specialization) {
		v, err := sp.Value.eval(j.scope, Number{})
		if err != nil {
			return out, underKey(sp.key(), err)
		}
		out.specialize(SpecValue{sp.ID, sp.Name, v})
	}
	if out.Push, err = j.push(j.PushConstants, j.scope); err != nil {
		return out, underKey("push_constants", err)
	}
	return out, nil
}

// payloadDispatch works an entry of a dispatch out, in the scope of its step.
func (j *Job) payloadDispatch(d *GraphDispatch, s scope) (PayloadDispatch, error) {
	if d.Indirect != nil {
		at, err := d.Indirect.location(s)
		return PayloadDispatch{Graph: d.Graph, Indirect: at}, err
	}
	out := PayloadDispatch{Graph: d.Graph, Node: d.Node, Buffer: d.Buffer, HasCount: d.Count != "", HasData: d.Data != nil || len(d.Payloads) > 0}
	offset, err := d.Offset.evalInt(s, 0, 0, maxDataBytes)
	if err != nil {
		return out, underKey("offset", err)
	}
	out.Offset = uint64(offset)
	index, err := d.Index.evalInt(s, 0, 0, math.MaxUint32)
	if err != nil {
		return out, underKey("index", err)
	}
	count, err := d.Count.evalInt(s, 1, 0, maxPayloads)
	if err != nil {
		return out, underKey("count", err)
	}
	out.Index, out.Count = uint32(index), uint64(count)
	if out.Stride, err = unlessAbsent(d.Stride, s, math.MaxInt32); err != nil {
		return out, underKey("stride", err)
	}
	if len(d.Payloads) > 0 {
		return out, j.payloadList(d, s, &out)
	}
	if out.Data, err = j.content(d.Data, s, MaxPayloadBytes); err != nil {
		return out, underKey("data", err)
	}
	return out, nil
}

// payloadList lays payloads out one after the other, each as long as the longest.
func (j *Job) payloadList(d *GraphDispatch, s scope, out *PayloadDispatch) error {
	var list []Content
	size := 0
	for i := range d.Payloads {
		c, err := j.payload(&d.Payloads[i], s)
		if err != nil {
			return underKey(indexPath("payloads", i), err)
		}
		list = append(list, c)
		out.Lengths = append(out.Lengths, len(c.Bytes))
		size = max(size, len(c.Bytes))
	}
	if len(list) > 1 && out.HasCount && out.Stride != 0 && out.Count != uint64(len(list)) {
		return fmt.Errorf("found a count of %d and %d payloads: want as many payloads", out.Count, len(list))
	}
	if !out.HasCount {
		out.Count, out.HasCount = uint64(len(list)), true
	}
	if d.Stride == "" {
		out.Stride = int64(size)
		if len(list) == 1 {
			out.Stride = 0
		}
	}
	for i, c := range list {
		for _, a := range c.Addresses {
			out.Data.Addresses = append(out.Data.Addresses, AddressFixup{At: i*size + a.At, Buffer: a.Buffer, Plus: a.Plus})
		}
		out.Data.Bytes = append(append(out.Data.Bytes, c.Bytes...), make([]byte, size-len(c.Bytes))...)
	}
	return nil
}

func (j *Job) payload(p *Payload, s scope) (Content, error) {
	g := &generator{job: j, scope: s, limit: MaxPayloadBytes}
	if p.Typed.Type != "" {
		if err := g.typed(p.Typed.Type, p.Typed.Type, p.Typed.Values, ""); err != nil {
			return g.out, err
		}
	}
	if p.Data != nil {
		if err := g.data(p.Data); err != nil {
			return g.out, underKey("data", err)
		}
	}
	return g.out, nil
}
