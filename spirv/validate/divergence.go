package validate

import (
	"slices"

	"spvsim/spirv"
)

// A divergence holds the values that differ, for certain or very likely, between the invocations of a workgroup of one
// entry point, and the blocks that they don't all reach together. Unknown values count as uniform: the run detects the
// other cases.
type divergence struct {
	m      *Module
	tree   []*Function
	values []bool              // by id; for a Function or Private variable: its content
	blocks map[spirv.ID][]bool // by function, by block
	grew   bool
}

// differs lists the built-ins that differ between the invocations of a workgroup.
var differs = set(spirv.BuiltInLocalInvocationId, spirv.BuiltInLocalInvocationIndex, spirv.BuiltInGlobalInvocationId,
	spirv.BuiltInSubgroupLocalInvocationId, spirv.BuiltInSubgroupEqMask, spirv.BuiltInSubgroupGeMask,
	spirv.BuiltInSubgroupGtMask, spirv.BuiltInSubgroupLeMask, spirv.BuiltInSubgroupLtMask)

// maxRounds bounds the passes to a fixed point; more than a few are rare.
const maxRounds = 40

// diverge returns the divergence of an entry point, or nil where a workgroup
// is one invocation, or where that is not known.
func (c *extension) diverge(e *EntryPoint) *divergence {
	if d, ok := c.enqueue.divergence[e.Func]; ok {
		return d
	}
	if c.enqueue.divergence == nil {
		c.enqueue.divergence = map[spirv.ID]*divergence{}
	}
	var d *divergence
	if n := c.invocations(e); n > 1 {
		d = &divergence{m: c.Module, tree: c.callTree(e.Func), values: make([]bool, c.Raw.Bound), blocks: map[spirv.ID][]bool{}}
		d.solve()
	}
	c.enqueue.divergence[e.Func] = d
	return d
}

// invocations returns the number of invocations of a workgroup; 0 if it depends on a specialization.
func (m *Module) invocations(e *EntryPoint) uint64 {
	mode := e.Mode(spirv.ExecutionModeLocalSize)
	if mode == nil {
		return 0
	}
	return uint64(mode.Args[0]) * uint64(mode.Args[1]) * uint64(mode.Args[2])
}

func (d *divergence) solve() {
	for _, f := range d.tree {
		d.blocks[f.ID] = make([]bool, len(f.Blocks))
	}
	for round := 0; round < maxRounds; round++ {
		d.grew = false
		for _, f := range d.tree {
			d.function(f)
		}
		if !d.grew {
			return
		}
	}
}

// markDivergent marks a value as divergent. Structures and arrays stay uniform, because their members may differ in that.
func (d *divergence) markDivergent(id spirv.ID) {
	t, def := d.m.TypeOf(id), d.m.Def(id)
	if t.Kind == KindPointer && (def.Op == spirv.OpVariable || def.Op == spirv.OpFunctionParameter) {
		t = t.Elem
	}
	if t == nil || t.Kind == KindStruct || t.Kind == KindArray || t.Kind == KindNodePayloadArray {
		return
	}
	if !d.values[id] {
		d.values[id], d.grew = true, true
	}
}

func (d *divergence) function(f *Function) {
	g := d.m.graphs[f.ID]
	for i, b := range f.Blocks {
		if !d.blocks[f.ID][i] && d.controlled(g, int32(i)) {
			d.blocks[f.ID][i], d.grew = true, true
		}
		for j := range b.Code {
			d.instruction(g, f, int32(i), &b.Code[j])
		}
	}
}

// forks reports whether a block's branch depends on a divergent value.
func (d *divergence) forks(g *graph, i int32) bool {
	t := g.f.Blocks[i].Terminator()
	return (t.Op == spirv.OpBranchConditional || t.Op == spirv.OpSwitch) && d.values[t.Operands[0]]
}

// controlled reports a block in a construct that invocations enter, or leave
// again, apart from one another.
func (d *divergence) controlled(g *graph, i int32) bool {
	for c := g.innermost[i]; c != nil; c = c.outer {
		if c.kind != loop && c.kind != continuing && d.forks(g, c.header) {
			return true
		}
		if c.kind == loop && c.exitsDivergently(d, g) {
			return true
		}
	}
	return d.blocks[g.f.ID][0] && i != 0
}

// exitsDivergently reports a loop that some block breaks out of, depending on a
// divergent value.
func (c *construct) exitsDivergently(d *divergence, g *graph) bool {
	for i := range g.next {
		if slices.Contains(g.next[i], c.merge) && (d.forks(g, int32(i)) || d.blocks[g.f.ID][i] && g.inDivergentSelection(d, int32(i), c)) {
			return true
		}
	}
	return false
}

// inDivergentSelection reports a block that a divergent selection within a loop leads to.
func (g *graph) inDivergentSelection(d *divergence, i int32, l *construct) bool {
	for c := g.innermost[i]; c != nil && c != l; c = c.outer {
		if (c.kind == selection || c.kind == switching) && d.forks(g, c.header) {
			return true
		}
	}
	return false
}

func (d *divergence) instruction(g *graph, f *Function, i int32, in *spirv.Instruction) {
	m := d.m
	switch in.Op {
	case spirv.OpStore:
		if root := m.root(in.Operands[0]); root != 0 && (d.values[in.Operands[1]] || d.blocks[f.ID][i] || d.values[in.Operands[0]]) {
			d.markDivergent(root)
		}
	case spirv.OpFunctionCall:
		d.call(f, i, in)
	case spirv.OpReturnValue:
		if d.values[in.Operands[0]] || d.blocks[f.ID][i] {
			d.markDivergent(f.ID)
		}
	case spirv.OpLoad:
		// Memory that all share may hold the same at every address: that shows when the shader runs.
		if root := m.root(in.Operands[0]); root != 0 && (d.values[in.Operands[0]] || d.values[root]) || m.differing(in.Operands[0]) {
			d.markDivergent(in.Result)
		}
	case spirv.OpPhi:
		d.phi(g, i, in)
	case spirv.OpGroupNonUniformElect:
		d.markDivergent(in.Result)
	default:
		d.derived(in)
	}
}

// derived marks results that are functions of their operands. Some group operations are, too; they are left to the run.
func (d *divergence) derived(in *spirv.Instruction) {
	if in.Result == 0 || in.Type == 0 {
		return
	}
	switch in.Op.Grammar().Class {
	case "Arithmetic", "Bit", "Relational_and_Logical", "Conversion", "Composite", "Memory":
		if in.Op == spirv.OpVariable {
			return
		}
		for _, id := range in.Operands[:d.idOperands(in)] {
			if int(id) < len(d.values) && d.values[id] {
				d.markDivergent(in.Result)
			}
		}
	case "Atomic":
		if in.Op != spirv.OpAtomicLoad {
			d.markDivergent(in.Result)
		}
	}
}

// idOperands counts the leading operands that are ids.
func (d *divergence) idOperands(in *spirv.Instruction) int {
	switch in.Op {
	case spirv.OpCompositeExtract, spirv.OpArrayLength:
		return 1
	case spirv.OpCompositeInsert, spirv.OpVectorShuffle:
		return 2
	}
	return len(in.Operands)
}

func (d *divergence) phi(g *graph, i int32, in *spirv.Instruction) {
	split := false
	if c := g.merges[i]; c != nil {
		split = c.kind != loop && d.forks(g, c.header) || c.kind == loop && c.exitsDivergently(d, g)
	}
	same := true
	for n := 0; n < len(in.Operands); n += 2 {
		if d.values[in.Operands[n]] {
			d.markDivergent(in.Result)
		}
		same = same && in.Operands[n] == in.Operands[0]
	}
	if split && !same {
		d.markDivergent(in.Result)
	}
}

func (d *divergence) call(f *Function, i int32, in *spirv.Instruction) {
	g := d.m.Function(spirv.ID(in.Operands[0]))
	for n := range g.Params {
		arg := in.Operands[n+1]
		root := d.m.root(arg)
		if d.values[arg] || root != 0 && d.values[root] {
			d.markDivergent(g.Params[n].Result)
		}
		// The caller's variable holds the values that the function writes through a pointer.
		if t := d.m.TypeOf(spirv.ID(arg)); root != 0 && t.Kind == KindPointer && d.values[g.Params[n].Result] {
			d.markDivergent(root)
		}
	}
	if d.values[g.ID] {
		d.markDivergent(in.Result)
	}
	if b := d.blocks[g.ID]; d.blocks[f.ID][i] && !b[0] {
		d.grew = true
		for j := range b {
			b[j] = true
		}
	}
}

// root returns the Function or Private variable, or the parameter that is
// for one, that a pointer is within; 0 for other memory.
func (m *Module) root(pointer uint32) spirv.ID {
	for {
		def := m.Def(spirv.ID(pointer))
		t := m.TypeOf(def.Result)
		if t == nil || t.Kind != KindPointer || t.Storage != spirv.StorageClassFunction && t.Storage != spirv.StorageClassPrivate {
			return 0
		}
		switch def.Op {
		case spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpCopyObject:
			pointer = def.Operands[0]
		case spirv.OpVariable, spirv.OpFunctionParameter:
			return def.Result
		default:
			return 0
		}
	}
}

// differing reports a pointer to a built-in that differs between invocations.
func (m *Module) differing(pointer uint32) bool {
	def := m.Def(spirv.ID(pointer))
	for def.Op == spirv.OpAccessChain || def.Op == spirv.OpInBoundsAccessChain || def.Op == spirv.OpCopyObject {
		def = m.Def(spirv.ID(def.Operands[0]))
	}
	b, ok := m.Decoration(def.Result, spirv.DecorationBuiltIn)
	return ok && differs[spirv.BuiltIn(b)]
}

// uniformFlow returns the rule that an operation is in uniform control flow.
func uniformFlow(op spirv.Op) func(*extension) {
	return func(c *extension) {
		c.eachReached(op, func(e *EntryPoint, d *divergence, f *Function, block int, in *spirv.Instruction) {
			if d.blocks[f.ID][block] {
				c.faultAt(in, "in control flow that diverges within the workgroup of %q", e.Name)
			}
		})
	}
}

// uniformOperands tests the count and the node index of allocations for a
// workgroup.
func (c *extension) uniformOperands() {
	c.eachReached(spirv.OpAllocateNodePayloadsAMDX, func(e *EntryPoint, d *divergence, _ *Function, _ int, in *spirv.Instruction) {
		if s, ok := c.constantValue(in.Operands[0]); !ok || spirv.Scope(s) != spirv.ScopeWorkgroup {
			return
		}
		for n, what := range []string{"payload count", "node index"} {
			if id := in.Operands[n+1]; d.values[id] {
				c.faultAt(in, "%s %%%d differs within the workgroup of %q", what, id, e.Name)
			}
		}
	})
}

// eachReached visits the operations that an entry point reaches, once for each entry point whose divergence is known.
func (c *extension) eachReached(op spirv.Op, visit func(e *EntryPoint, d *divergence, f *Function, block int, in *spirv.Instruction)) {
	found := false
	c.eachOp(func(*spirv.Instruction) { found = true }, op)
	for i := range c.EntryPoints {
		e := &c.EntryPoints[i]
		if !found || c.diverge(e) == nil {
			continue
		}
		d := c.diverge(e)
		for _, f := range d.tree {
			for n, b := range f.Blocks {
				for j := range b.Code {
					if b.Code[j].Op == op {
						visit(e, d, f, n, &b.Code[j])
					}
				}
			}
		}
	}
}
