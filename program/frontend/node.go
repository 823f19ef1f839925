package frontend

import (
	"fmt"

	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// nodes reads the declarations of an entry point as a node of an execution graph.
type nodes struct {
	*payloads
	meshes *meshes
}

// nodeModes has a row for each execution mode that makes an entry point a node of a graph.
var nodeModes map[spirv.ExecutionMode]func(b *nodes, n *ir.Node, m *validate.Mode)

func init() {
	nodeModes = map[spirv.ExecutionMode]func(b *nodes, n *ir.Node, m *validate.Mode){
		spirv.ExecutionModeCoalescingAMDX: func(b *nodes, n *ir.Node, _ *validate.Mode) {
			b.launch(n, ir.Coalescing)
		},
		spirv.ExecutionModeStaticNumWorkgroupsAMDX: func(b *nodes, n *ir.Node, m *validate.Mode) {
			b.launch(n, ir.Static)
			b.workgroups(n, m)
		},
		spirv.ExecutionModeMaxNumWorkgroupsAMDX: func(b *nodes, n *ir.Node, m *validate.Mode) {
			if n.Launch != ir.Dynamic {
				b.invalid("MaxNumWorkgroupsAMDX in a %s node", n.Launch)
			}
			b.workgroups(n, m)
		},
		spirv.ExecutionModeMaxNodeRecursionAMDX: func(b *nodes, n *ir.Node, m *validate.Mode) {
			n.MaxRecursion, n.Recursive = b.modeArg(m, 0), true
		},
		spirv.ExecutionModeIsApiEntryAMDX: func(b *nodes, n *ir.Node, m *validate.Mode) {
			n.APIEntry = b.modeArg(m, 0) != 0
		},
		spirv.ExecutionModeShaderIndexAMDX: func(b *nodes, n *ir.Node, m *validate.Mode) {
			n.ShaderIndex, n.HasShaderIndex = b.modeArg(m, 0), true
		},
		spirv.ExecutionModeSharesInputWithAMDX: func(b *nodes, n *ir.Node, m *validate.Mode) {
			n.SharesInput = &ir.NodeRef{Name: b.constString(spirv.ID(m.Args[0])), Index: b.modeArg(m, 1)}
		},
	}
}

// nodeMode returns the row of an execution mode, or nil.
func (b *nodes) nodeMode(kind spirv.ExecutionMode) func(b *nodes, n *ir.Node, m *validate.Mode) {
	if row := meshModes[kind]; row != nil && b.isMesh() {
		return row
	}
	return nodeModes[kind]
}

// launch sets how the node is launched, which it can state once.
func (b *nodes) launch(n *ir.Node, kind ir.LaunchKind) {
	if n.Launch != ir.Dynamic || n.Workgroups != [3]uint32{} {
		b.invalid("two of CoalescingAMDX, StaticNumWorkgroupsAMDX and MaxNumWorkgroupsAMDX")
	}
	n.Launch = kind
}

func (b *nodes) workgroups(n *ir.Node, m *validate.Mode) {
	if n.Workgroups != [3]uint32{} {
		b.invalid("the number of workgroups is stated twice")
	}
	for i := range n.Workgroups {
		if n.Workgroups[i] = b.modeArg(m, i); n.Workgroups[i] == 0 {
			b.invalid("a number of workgroups of 0")
		}
	}
}

// modeArg returns the i-th argument of an execution mode, a constant.
func (b *nodes) modeArg(m *validate.Mode, i int) uint32 {
	if i >= len(m.Args) {
		b.invalid("execution mode %s: argument %d is missing", m.Kind, i)
	}
	return uint32(b.constBits(spirv.ID(m.Args[i])))
}

// constString returns the value of a string constant, which the job may specialize.
func (b *nodes) constString(id spirv.ID) string {
	def := b.m.Def(id)
	if def == nil || def.Op != spirv.OpConstantStringAMDX && def.Op != spirv.OpSpecConstantStringAMDX {
		b.invalid("%%%d is neither an OpConstantStringAMDX nor an OpSpecConstantStringAMDX", id)
	}
	if n, ok := b.m.Decoration(id, spirv.DecorationSpecId); ok && def.Op == spirv.OpSpecConstantStringAMDX {
		if s, ok := b.opt.Strings[n]; ok {
			return s
		}
	}
	s, _ := spirv.DecodeString(def.Operands)
	return s
}

// bind reads the entry point's interface to an execution graph. Without the extension Func.Node stays nil.
func (b *nodes) bind() {
	b.graph.outputs = map[spirv.ID]int{}
	n := &ir.Node{Model: b.entry.Model, APIEntry: true}
	stated := n.Model == spirv.ExecutionModelMeshEXT
	for i := range b.entry.Modes {
		m := &b.entry.Modes[i]
		b.in = &spirv.Instruction{Op: spirv.OpExecutionMode, Word: m.Word}
		if row := b.nodeMode(m.Kind); row != nil {
			row(b, n, m)
			stated = true
		}
	}
	b.in = nil
	if b.isMesh() {
		b.meshes.bindCounts()
	}
	if b.m.Has(spirv.CapabilityShaderEnqueueAMDX) {
		b.findInput()
		b.listOutputs(n)
	}
	if n.SharesInput != nil {
		if n.APIEntry && b.entry.Mode(spirv.ExecutionModeIsApiEntryAMDX) != nil {
			b.invalid("IsApiEntryAMDX is true on %q, which shares its input", b.entry.Name)
		}
		n.APIEntry = false // never dispatched by itself
	}
	if stated || b.graph.input != nil || len(n.Outputs) > 0 || b.usesGraphBuiltin() {
		b.f.Node = n
		b.describeInput(n)
	}
}

// usesGraphBuiltin reports that the entry point reads a built-in of nodes.
func (b *nodes) usesGraphBuiltin() bool {
	for id, reached := range b.reached {
		k, ok := b.m.Decoration(spirv.ID(id), spirv.DecorationBuiltIn)
		if reached && ok && (spirv.BuiltIn(k) == spirv.BuiltInRemainingRecursionLevelsAMDX || spirv.BuiltIn(k) == spirv.BuiltInShaderIndexAMDX) {
			return true
		}
	}
	return false
}

// reachable reports, by id, what a function, its callees and the declarations that they name have as operands, information for
// debuggers left out. Words that are no ids do not count, however they look.
func reachable(m *validate.Module, from spirv.ID) []bool {
	ctx := spirv.NewContext(int(min(m.Raw.Bound, 1<<16)))
	for i := range m.Raw.Instructions {
		ctx.Note(&m.Raw.Instructions[i])
	}
	reached := make([]bool, m.Raw.Bound)
	var queue []spirv.ID
	visit := func(_ int, id spirv.ID) error {
		if !reached[id] {
			reached[id], queue = true, append(queue, id)
		}
		return nil
	}
	walk := func(in *spirv.Instruction) {
		if in.Op != spirv.OpExtInst || !validate.Ignorable(m.Import(spirv.ID(in.Operands[0]))) {
			_ = spirv.WalkIDs(in, ctx, visit) // a checked module follows the grammar
		}
	}
	for _ = visit(0, from); len(queue) > 0; {
		id := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if f := m.Function(id); f != nil {
			for _, b := range f.Blocks {
				for i := range b.Code {
					walk(&b.Code[i])
				}
			}
		}
		if in := m.Def(id); in != nil {
			walk(in)
		}
	}
	return reached
}

// findInput finds the entry point's input: see validate.Module.Inputs.
func (b *nodes) findInput() {
	for i, in := range b.m.Inputs(b.opt.Nodes) {
		if &b.m.EntryPoints[i] != b.entry {
			continue
		}
		if in.Err != nil {
			panic(abort{fmt.Errorf("program: %w", in.Err)})
		}
		if in.Variable != 0 {
			b.graph.input = b.m.Def(in.Variable)
		}
	}
}

// describeInput fills Node.Input.
func (b *nodes) describeInput(n *ir.Node) {
	if b.graph.input == nil {
		return
	}
	b.in = b.graph.input
	t := b.resultType().Elem
	if t == nil {
		b.invalid("the type of the variable is not a pointer")
	}
	p := b.payloadType(t)
	p.MaxPayloads = 1
	if n.Launch == ir.Coalescing {
		if !p.IsArray {
			b.invalid("the input of a coalescing node is not a payload array")
		}
		p.MaxPayloads = b.maxPayloads(t)
	}
	n.Input = &p
	b.in = nil
}

// payloadType describes a payload, or an array of them.
func (b *nodes) payloadType(t *validate.Type) ir.PayloadType {
	p := ir.PayloadType{IsArray: t.Kind == validate.KindNodePayloadArray}
	if p.IsArray {
		t = t.Elem
	}
	s := b.shape(t, layout{})
	p.Bytes, p.Align = roundUp(s.size, s.align), s.align
	p.TrackFinish = b.m.Decorated(t.ID, spirv.DecorationTrackFinishWritingAMDX)
	b.findIndirect(&p, t, 0)
	return p
}

// findIndirect finds the member that holds the number of workgroups of a payload, also in nested structures.
func (b *nodes) findIndirect(p *ir.PayloadType, t *validate.Type, base uint32) {
	if !b.m.HasIndirect(t) {
		return
	}
	for i, m := range t.Members {
		off, _ := b.member(t, i, layout{})
		b.findIndirect(p, m, base+off)
		if !b.m.MemberDecorated(t.ID, i, spirv.DecorationPayloadDispatchIndirectAMDX) {
			continue
		}
		if p.Indirect != nil {
			b.invalid("%%%d has two members with PayloadDispatchIndirectAMDX", t.ID)
		}
		p.Indirect = b.indirect(t, i, base+off)
	}
}

func (b *nodes) indirect(t *validate.Type, i int, off uint32) *ir.Indirect {
	m, n, stride := t.Members[i], uint8(1), uint32(0)
	switch m.Kind {
	case validate.KindVector:
		m, n = m.Elem, uint8(m.Count)
	case validate.KindArray: // as compilers write an array with the semantic
		stride, _ = b.m.Decoration(m.ID, spirv.DecorationArrayStride)
		m, n = m.Elem, uint8(min(m.Count, 4))
	}
	if m.Kind != validate.KindInt || m.Width > 32 || m.Signed || n == 0 || n > 3 {
		b.invalid("member %d of %%%d with PayloadDispatchIndirectAMDX is not an unsigned integer of up to 32 bits, "+
			"nor a vector of two or three of them", i, t.ID)
	}
	return &ir.Indirect{Offset: off, Components: n, Bits: uint8(m.Width), Stride: stride}
}

// decoratedConst returns the constant that decorates an id.
func (b *nodes) decoratedConst(id spirv.ID, kind spirv.Decoration) (uint32, bool) {
	arg, ok := b.m.Decoration(id, kind)
	if !ok {
		return 0, false
	}
	return uint32(b.constBits(spirv.ID(arg))), true
}

func (b *nodes) maxPayloads(t *validate.Type) uint32 {
	n, ok := b.decoratedConst(t.ID, spirv.DecorationNodeMaxPayloadsAMDX)
	switch {
	case !ok:
		b.invalid("payload array type %%%d has no NodeMaxPayloadsAMDX", t.ID)
	case n == 0:
		b.invalid("the NodeMaxPayloadsAMDX of payload array type %%%d is 0: want at least 1", t.ID)
	}
	return n
}

// listOutputs fills Node.Outputs, in the order of the module: the payload array types that the entry point allocates or
// whose validity it queries, and those with which they share limits.
func (b *nodes) listOutputs(n *ir.Node) {
	wanted := b.outputTypes()
	for i := range b.m.Raw.Instructions {
		in := &b.m.Raw.Instructions[i]
		if in.Op == spirv.OpTypeNodePayloadArrayAMDX && wanted[in.Result] {
			b.graph.outputs[in.Result] = len(n.Outputs)
			b.in = in
			n.Outputs = append(n.Outputs, b.output(b.typ(in.Result)))
		}
	}
	b.in = nil
	for i := range n.Outputs {
		if with, ok := b.sharesWith(spirv.ID(n.Outputs[i].SPIRV)); ok {
			n.Outputs[i].SharesLimits = b.graph.outputs[with]
		}
	}
}

func (b *nodes) sharesWith(id spirv.ID) (spirv.ID, bool) {
	arg, ok := b.m.Decoration(id, spirv.DecorationNodeSharesPayloadLimitsWithAMDX)
	return spirv.ID(arg), ok && spirv.ID(arg) != id
}

// outputTypes returns the types that Outputs lists. An instruction counts if a function that the entry point reaches
// contains it.
func (b *nodes) outputTypes() map[spirv.ID]bool {
	wanted := map[spirv.ID]bool{}
	for _, f := range b.m.Functions {
		if !b.reached[f.ID] {
			continue
		}
		for _, blk := range f.Blocks {
			for i := range blk.Code {
				if t := b.arrayNamed(&blk.Code[i]); t != nil {
					wanted[t.ID] = true
				}
			}
		}
	}
	for _, in := range b.m.Raw.Instructions { // sharing is one level deep
		if with, ok := b.sharesWith(in.Result); in.Op == spirv.OpTypeNodePayloadArrayAMDX && ok && wanted[in.Result] {
			wanted[with] = true
		}
	}
	return wanted
}

// output describes a payload array type that the node allocates.
func (b *nodes) output(t *validate.Type) ir.Output {
	o := ir.Output{PayloadType: b.payloadType(t), SharesLimits: -1, SPIRV: uint32(t.ID)}
	o.MaxPayloads = b.maxPayloads(t)
	name, ok := b.m.Decoration(t.ID, spirv.DecorationPayloadNodeNameAMDX)
	if !ok {
		b.invalid("payload array type %%%d has no PayloadNodeNameAMDX", t.ID)
	}
	o.Node = b.constString(spirv.ID(name))
	o.BaseIndex, _ = b.decoratedConst(t.ID, spirv.DecorationPayloadNodeBaseIndexAMDX)
	o.ArraySize, o.Sized = b.decoratedConst(t.ID, spirv.DecorationPayloadNodeArraySizeAMDX)
	o.Sparse = b.m.Decorated(t.ID, spirv.DecorationPayloadNodeSparseArrayAMDX)
	return o
}
