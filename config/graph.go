package config

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Node is an entry point as a node of an execution graph.
type Node struct {
	Shader         string           `yaml:"shader" doc:"a .spv or .spvasm file, relative to the job file; left out: the job's"`
	Entry          string           `yaml:"entry" doc:"entry point; may be left out when the module has one"`
	Name           string           `yaml:"name" doc:"name that payloads are enqueued to; left out: the entry point's"`
	Index          Expr             `yaml:"index" doc:"index among the nodes of the name; left out: ShaderIndexAMDX, or 0"`
	Specialization []Specialization `yaml:"specialization" form:"map" doc:"specialization constants by SpecId (or by OpName), over the job's"`
	Strings        []NameString     `yaml:"strings" doc:"values of OpSpecConstantStringAMDX"`
}

// NameString is the value of a string constant.
type NameString struct {
	ID    uint32 `yaml:"id" doc:"SpecId, when no name is given"`
	Name  string `yaml:"name" doc:"OpName of the constant"`
	Value string `yaml:"value" doc:"what it is to be"`
}

// GraphDispatch hands payloads to a node of the graph.
type GraphDispatch struct {
	Node     string    `yaml:"node" doc:"name of the node"`
	Index    Expr      `yaml:"index" doc:"its index; left out: 0"`
	Count    Expr      `yaml:"count" doc:"payloads; left out: as many as are given, or 1"`
	Payloads []Payload `yaml:"payloads" doc:"payloads one by one"`
	Data     *Data     `yaml:"data" doc:"payloads as bytes"`
	Stride   Expr      `yaml:"stride" unit:"bytes" doc:"from one payload in data to the next; 0: the first one count times; left out: the size of the node's payload"`
}

// Payload is one payload: values of one type, generated data, or both in this order.
type Payload struct {
	Typed Typed
	Data  *Data `yaml:"data" doc:"generated contents"`
}

// MeshOutput names a buffer that takes what the workgroups of a mesh node put out.
type MeshOutput struct {
	Node   string `yaml:"node" doc:"name of the mesh node"`
	Index  Expr   `yaml:"index" doc:"its index; left out: 0"`
	Output string `yaml:"output" doc:"name of the output, as the module's OpName or built-in says, or indices or counts"`
	Buffer string `yaml:"buffer" doc:"name of the buffer"`
}

// Limits of the graph of a job.
const (
	maxPayloads    = 1 << 24
	maxPayloadData = 1 << 28 // bytes of one entry of graph
	maxGraphRounds = 1 << 20
	maxScratch     = 1 << 36
)

// GraphWork is the graph of a job with every expression worked out.
type GraphWork struct {
	Nodes       []GraphNode
	Dispatches  []PayloadDispatch
	MeshOutputs []MeshTarget
	// Scratch is in bytes, or negative: the machine's.
	Scratch int64
	Repeat  int
}

// GraphNode is a node of a graph. Launch says what it runs, without a dispatch.
type GraphNode struct {
	Launch
	Name     string // empty: the entry point's
	Index    uint32
	HasIndex bool
}

// PayloadDispatch is one entry of a graph dispatch.
type PayloadDispatch struct {
	Node   string
	Index  uint32
	Count  uint64 // meaningful if HasCount
	Stride int64  // bytes; negative: the size of the node's payload
	Data   Content
	// Lengths are the bytes of the payloads that the job gives one by one, before they are laid out; nil: it gives Data.
	Lengths []int
	// HasCount and HasData: the job says how many, and what is in them.
	HasCount, HasData bool
}

// MeshTarget says where an output of a mesh node goes.
type MeshTarget struct {
	Node   string
	Index  uint32
	Output string
	Buffer string
}

// IsGraph says whether the job runs an execution graph.
func (j *Job) IsGraph() bool { return len(j.Nodes) > 0 || len(j.Graph) > 0 }

func ruleGraph(j *Job) []problem {
	var ps []problem
	if !j.IsGraph() {
		for _, f := range []struct {
			name  string
			given bool
		}{{"scratch_bytes", j.ScratchBytes != ""}, {"graph_repeat", j.GraphRepeat != ""}, {"mesh_outputs", len(j.MeshOutputs) > 0}} {
			if f.given {
				ps = append(ps, problem{f.name, "the job has no graph", ErrRange})
			}
		}
		return ps
	}
	switch {
	case len(j.Nodes) == 0:
		ps = append(ps, problem{"nodes", "missing: a graph needs nodes", ErrMissing})
	case len(j.Graph) == 0:
		ps = append(ps, problem{"graph", "missing: want what is dispatched to the graph", ErrMissing})
	case len(j.Dispatch) > 0 || len(j.Steps) > 0:
		ps = append(ps, problem{"graph", "found graph and dispatch or steps: want one of them", ErrRange})
	}
	ps = append(ps, j.nodeProblems()...)
	ps = append(ps, j.dispatchProblems()...)
	return append(ps, j.meshProblems()...)
}

func (j *Job) nodeProblems() []problem {
	var ps []problem
	for i := range j.Nodes {
		n, p := &j.Nodes[i], indexPath("nodes", i)
		if n.Shader == "" && j.Shader == "" {
			ps = append(ps, problem{p + ".shader", "missing: neither the node nor the job has one", ErrMissing})
		}
		for k, o := range j.Nodes[:i] {
			if n.Name != "" && n.Name == o.Name && n.Index != "" && n.Index == o.Index { // left out, the module says
				ps = append(ps, problem{p, fmt.Sprintf("name %q and index are those of nodes[%d]", n.Name, k), ErrRange})
			}
		}
	}
	return ps
}

func (j *Job) dispatchProblems() []problem {
	var ps []problem
	for i := range j.Graph {
		d, p := &j.Graph[i], indexPath("graph", i)
		switch {
		case d.Node == "":
			ps = append(ps, problem{p + ".node", "missing: want the name of a node", ErrMissing})
		case len(d.Payloads) > 0 && d.Data != nil:
			ps = append(ps, problem{p, "found payloads and data: want one of them", ErrRange})
		case d.Stride != "" && d.Data == nil && len(d.Payloads) != 1:
			ps = append(ps, problem{p + ".stride", "a stride goes with data, or with one payload that is repeated", ErrRange})
		}
		ps = append(ps, j.nameProblems(d.Node, p+".node")...)
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

// nameProblems looks for a node of the name, where the job names all of its nodes.
func (j *Job) nameProblems(name, at string) []problem {
	var known []string
	for i := range j.Nodes {
		n := j.Nodes[i].Name
		if n == "" {
			n = j.Nodes[i].Entry
		}
		if n == "" {
			return nil // the module says
		}
		known = append(known, n)
	}
	if name == "" || slices.Contains(known, name) {
		return nil
	}
	msg := fmt.Sprintf("no node is named %q: there are %s", name, strings.Join(known, ", "))
	if n := Nearest(name, known); n != "" {
		msg += fmt.Sprintf(" (nearest: %s)", n)
	}
	return []problem{{at, msg, ErrReference}}
}

func (j *Job) meshProblems() []problem {
	var ps []problem
	for i := range j.MeshOutputs {
		m, p := &j.MeshOutputs[i], indexPath("mesh_outputs", i)
		if m.Output == "" {
			ps = append(ps, problem{p + ".output", "missing: want the name of an output", ErrMissing})
		}
		ps = append(ps, j.nameProblems(m.Node, p+".node")...)
		ps = append(ps, j.bufferProblems(m.Buffer, p+".buffer")...)
	}
	return ps
}

// GraphWork works the job's graph out.
func (j *Job) GraphWork() (*GraphWork, error) {
	g, ps := j.graphWork()
	return g, place(ps, j.where)
}

func (j *Job) graphWork() (*GraphWork, []problem) {
	g := &GraphWork{}
	var ps []problem
	note := func(path string, err error) {
		if err != nil {
			ps = append(ps, problem{path, err.Error(), ErrExpr})
		}
	}
	scratch, err := j.unlessAbsent(j.ScratchBytes, maxScratch)
	note("scratch_bytes", err)
	repeat, err := j.GraphRepeat.evalInt(j.scope, 1, 1, maxGraphRounds)
	note("graph_repeat", err)
	g.Scratch, g.Repeat = scratch, int(repeat)
	for i := range j.Nodes {
		n, err := j.graphNode(&j.Nodes[i])
		n.Path = indexPath("nodes", i)
		note(n.Path, err)
		g.Nodes = append(g.Nodes, n)
	}
	for i := range j.Graph {
		d, err := j.payloadDispatch(&j.Graph[i])
		note(indexPath("graph", i), err)
		g.Dispatches = append(g.Dispatches, d)
	}
	for i := range j.MeshOutputs {
		m := &j.MeshOutputs[i]
		index, err := m.Index.evalInt(j.scope, 0, 0, math.MaxUint32)
		note(indexPath("mesh_outputs", i)+".index", err)
		g.MeshOutputs = append(g.MeshOutputs, MeshTarget{m.Node, uint32(index), m.Output, m.Buffer})
	}
	return g, ps
}

// unlessAbsent is the value of an expression from 0 to high, or -1 when it was left out.
func (j *Job) unlessAbsent(e Expr, high int64) (int64, error) {
	if e == "" {
		return -1, nil
	}
	return e.evalInt(j.scope, 0, 0, high)
}

func (j *Job) graphNode(n *Node) (GraphNode, error) {
	out := GraphNode{Name: n.Name, HasIndex: n.Index != ""}
	out.Shader, out.Entry, out.Strings = n.Shader, n.Entry, n.Strings
	if out.Shader == "" {
		out.Shader = j.Shader
	}
	index, err := n.Index.evalInt(j.scope, 0, 0, math.MaxUint32)
	if err != nil {
		return out, fmt.Errorf("index: %w", err)
	}
	out.Index = uint32(index)
	for _, sp := range slices.Concat(j.Specialization, n.Specialization) {
		v, err := sp.Value.eval(j.scope, Number{})
		if err != nil {
			return out, fmt.Errorf("specialization: %w", err)
		}
		out.specialize(SpecValue{sp.ID, sp.Name, v})
	}
	if out.Push, err = j.push(j.PushConstants, j.scope); err != nil {
		return out, fmt.Errorf("push_constants: %w", err)
	}
	return out, nil
}

func (j *Job) payloadDispatch(d *GraphDispatch) (PayloadDispatch, error) {
	out := PayloadDispatch{Node: d.Node, HasCount: d.Count != "", HasData: d.Data != nil || len(d.Payloads) > 0}
	index, err := d.Index.evalInt(j.scope, 0, 0, math.MaxUint32)
	if err != nil {
		return out, fmt.Errorf("index: %w", err)
	}
	count, err := d.Count.evalInt(j.scope, 1, 0, maxPayloads)
	if err != nil {
		return out, fmt.Errorf("count: %w", err)
	}
	out.Index, out.Count = uint32(index), uint64(count)
	if out.Stride, err = j.unlessAbsent(d.Stride, math.MaxInt32); err != nil {
		return out, fmt.Errorf("stride: %w", err)
	}
	if len(d.Payloads) > 0 {
		return out, j.payloadList(d, &out)
	}
	if out.Data, err = j.content(d.Data, j.scope, maxPayloadData); err != nil {
		return out, fmt.Errorf("data: %w", err)
	}
	return out, nil
}

// payloadList lays payloads out one after the other, each as long as the longest.
func (j *Job) payloadList(d *GraphDispatch, out *PayloadDispatch) error {
	var list []Content
	size := 0
	for i := range d.Payloads {
		c, err := j.payload(&d.Payloads[i])
		if err != nil {
			return fmt.Errorf("payloads[%d]: %w", i, err)
		}
		list = append(list, c)
		out.Lengths = append(out.Lengths, len(c.Bytes))
		size = max(size, len(c.Bytes))
	}
	if len(list) > 1 && out.HasCount && out.Stride != 0 && out.Count != uint64(len(list)) {
		return fmt.Errorf("count is %d, but there are %d payloads", out.Count, len(list))
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
			out.Data.Addresses = append(out.Data.Addresses, AddressFixup{i*size + a.At, a.Buffer})
		}
		out.Data.Bytes = append(append(out.Data.Bytes, c.Bytes...), make([]byte, size-len(c.Bytes))...)
	}
	return nil
}

func (j *Job) payload(p *Payload) (Content, error) {
	g := &generator{job: j, scope: j.scope, limit: maxPayloadData}
	if p.Typed.Type != "" {
		if err := g.typed(p.Typed.Type, p.Typed.Values, ""); err != nil {
			return g.out, err
		}
	}
	if p.Data != nil {
		if err := g.data(p.Data); err != nil {
			return g.out, fmt.Errorf("data: %w", err)
		}
	}
	return g.out, nil
}
