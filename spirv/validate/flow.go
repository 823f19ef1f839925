package validate

import (
	"slices"

	"spvsim/spirv"
)

// A graph is the control flow of a function. Node i is Blocks[i].
type graph struct {
	m          *Module
	f          *Function
	index      map[spirv.ID]int32
	next       [][]int32 // branches
	real       *domTree  // over next
	structural *domTree  // over next, and edges from headers to their merge blocks and continue targets
	heads      []*construct
	innermost  []*construct    // innermost construct around a block, without the one that it heads
	from       []int           // number of blocks that branch to a block, computed on demand
	merges     []*construct    // construct that a block is the merge block of
	cases      []*construct    // switch that a block is a case of
	caseOf     []int32         // first block of the innermost case around a block, -1: none
	falls      map[int32]int32 // case to which another one falls through, by their first blocks
	continues  []*construct    // loop that a block is the continue target of
}

// A construct is a selection, a loop, or the continue construct of a loop
// (specification section 2.11).
type construct struct {
	kind          constructKind
	header        int32
	merge, target int32 // target is the continue target of a loop
	outer         *construct
	depth         int // number of constructs around it, itself included
	backs         int // back edges to a loop's header
}

type constructKind uint8

const (
	selection constructKind = iota
	switching
	loop
	continuing
)

// MaxNesting bounds how deep constructs nest: the universal limit of the
// specification (section 2.17, control-flow nesting depth).
const MaxNesting = 1023

// Nesting returns how many constructs are around a block of a function of the module.
func (m *Module) Nesting(f *Function, block spirv.ID) int {
	if m.Kernels() {
		return 0
	}
	g := m.graphs[f.ID]
	if c := g.constructOf(g.index[block]); c != nil {
		return c.depth
	}
	return 0
}

// Deepest returns the largest nesting within a function of the module.
func (m *Module) Deepest(f *Function) (depth int) {
	if m.Kernels() {
		return 0
	}
	for _, c := range m.graphs[f.ID].heads {
		if c != nil {
			depth = max(depth, c.depth)
		}
	}
	return depth
}

// flow tests the structured control flow of each function.
func flow(m *Module, r *report) {
	kernels := m.Kernels()
	m.graphs = make(map[spirv.ID]*graph, len(m.Functions))
	for _, f := range m.Functions {
		if g := newGraph(m, f, r); g != nil {
			if m.graphs[f.ID] = g; !kernels {
				g.structure(r)
			}
		}
	}
}

// newGraph returns nil if a branch leads to an id that is no block of the function.
func newGraph(m *Module, f *Function, r *report) *graph {
	n := len(f.Blocks)
	g := &graph{m: m, f: f, index: make(map[spirv.ID]int32, n), next: make([][]int32, n), heads: make([]*construct, n),
		innermost: make([]*construct, n), merges: make([]*construct, n), cases: make([]*construct, n), caseOf: make([]int32, n), continues: make([]*construct, n), falls: map[int32]int32{}}
	for i, b := range f.Blocks {
		g.index[b.ID] = int32(i)
	}
	all, ok := make([][]int32, n), true
	for i, b := range f.Blocks {
		ok = g.edges(int32(i), b, r) && ok
		all[i] = g.next[i]
		if c := g.heads[i]; ok && c != nil {
			all[i] = append(append([]int32(nil), c.merge), g.next[i]...)
			if c.kind == loop {
				all[i] = append(all[i], c.target)
			}
		}
	}
	if !ok {
		return nil
	}
	g.real, g.structural = newDomTree(g.next), newDomTree(all)
	return g
}

// orderBlocks puts blocks behind those that dominate them, where a module of kernels has them otherwise.
func (m *Module) orderBlocks() {
	for _, f := range m.Functions {
		g, ordered := m.graphs[f.ID], true
		for i, d := range g.real.idom {
			ordered = ordered && int(d) <= i
		}
		if ordered {
			continue
		}
		blocks := make([]*Block, 0, len(f.Blocks))
		for _, i := range g.real.order { // a search meets a block's dominators before it
			blocks = append(blocks, f.Blocks[i])
		}
		for i, b := range f.Blocks {
			if !g.real.reached(int32(i)) {
				blocks = append(blocks, b)
			}
		}
		f.Blocks = blocks
	}
}

// id returns the label of a block.
func (g *graph) id(block int32) spirv.ID { return g.f.Blocks[block].ID }

// edges reads the branches and the merge instruction of a block.
func (g *graph) edges(i int32, b *Block, r *report) bool {
	ok := true
	node := func(in *spirv.Instruction, id uint32) int32 {
		n, found := g.index[spirv.ID(id)]
		if !found || n == 0 {
			r.faultAt(in, "control flow", "%%%d is not a block of the function that a branch may lead to", id)
			ok = false
		}
		return n
	}
	t := b.Terminator()
	g.m.eachTarget(t, func(id uint32) { g.next[i] = append(g.next[i], node(t, id)) })
	if n := len(t.Operands); t.Op == spirv.OpBranchConditional && n != 3 && n != 5 {
		r.faultAt(t, "control flow", "%d operands: want a condition and two labels, with two weights or none", n)
	}
	if t.Op == spirv.OpBranchConditional && t.Operands[1] == t.Operands[2] && g.m.Raw.Version >= version16 {
		r.faultAt(t, "control flow", "both labels are %%%d: want two from SPIR-V 1.6 on", t.Operands[1])
	}
	if g.m.Kernels() { // merge instructions are hints, which llvm-spirv puts anywhere in a block
		return ok
	}
	for j := range b.Code {
		if in := &b.Code[j]; isMerge(in.Op) && in != b.Merge() {
			r.faultAt(in, "control flow", "the merge instruction is not the second to last of its block")
			ok = false
		}
	}
	if in := b.Merge(); in != nil {
		c := &construct{header: i, merge: node(in, in.Operands[0]), target: -1}
		switch {
		case in.Op == spirv.OpLoopMerge:
			c.kind, c.target = loop, node(in, in.Operands[1])
		case t.Op == spirv.OpSwitch:
			c.kind = switching
		}
		g.heads[i] = c
		ok = mergePlace(in, t, r) && ok
	}
	return ok
}

func isMerge(op spirv.Op) bool { return op == spirv.OpSelectionMerge || op == spirv.OpLoopMerge }

// mergePlace tests which branch follows a merge instruction.
func mergePlace(in, t *spirv.Instruction, r *report) bool {
	want, second := spirv.OpSwitch, "OpSwitch"
	if in.Op == spirv.OpLoopMerge {
		want, second = spirv.OpBranch, "OpBranch"
	}
	if t.Op == want || t.Op == spirv.OpBranchConditional {
		return true
	}
	r.faultAt(in, "control flow", "before %s: want OpBranchConditional or %s", t.Op, second)
	return false
}

// eachTarget visits the labels that a terminator may branch to.
func (m *Module) eachTarget(t *spirv.Instruction, visit func(uint32)) {
	switch t.Op {
	case spirv.OpBranch:
		visit(t.Operands[0])
	case spirv.OpBranchConditional:
		visit(t.Operands[1])
		visit(t.Operands[2])
	case spirv.OpSwitch:
		visit(t.Operands[1])
		words := m.caseWords(t)
		for i := 2 + words; i < len(t.Operands); i += words + 1 {
			visit(t.Operands[i])
		}
	}
}

// caseWords returns the length of an OpSwitch's literals, which are as wide as its selector.
func (m *Module) caseWords(t *spirv.Instruction) int {
	if s := m.TypeOf(spirv.ID(t.Operands[0])); s != nil && s.Width > 32 {
		return 2
	}
	return 1
}

func (g *graph) structure(r *report) {
	before := len(r.faults)
	for i := range g.f.Blocks {
		g.unique(int32(i), r)
	}
	if len(r.faults) > before {
		return
	}
	for _, v := range g.structural.order {
		g.findConstruct(v)
		if c := g.innermost[v]; c != nil && c.depth > MaxNesting {
			r.unsupported(g.f.Blocks[v].Terminator(), "control flow", "constructs nested deeper than %d", MaxNesting)
			return
		}
	}
	for i := range g.f.Blocks {
		if g.structural.reached(int32(i)) {
			g.branches(int32(i), r)
		}
	}
	for i, c := range g.heads {
		if c != nil && c.kind == loop && g.structural.reached(int32(i)) && c.backs != 1 && g.real.reached(int32(i)) {
			r.faultAt(g.f.Blocks[i].Merge(), "control flow", "the loop has %d back edges to its header: want one", c.backs)
		}
		if c != nil && c.kind == loop && g.real.reached(int32(i)) {
			g.loopsBack(c, r)
		}
		if c != nil && c.kind == switching && g.structural.reached(int32(i)) {
			g.caseOrder(int32(i), r)
		}
	}
	g.order(r)
}

// loopsBack tests that a continue construct is left through its back edge only: that the block of the back edge structurally post
// dominates the others (section 2.11.2).
func (g *graph) loopsBack(c *construct, r *report) {
	seen := map[int32]bool{c.target: true}
	for stack := []int32{c.target}; len(stack) > 0; {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if slices.Contains(g.next[v], c.header) {
			continue
		}
		if slices.Contains(g.next[v], c.merge) {
			r.faultAt(g.f.Blocks[v].Terminator(), "control flow", "block %%%d leaves the continue construct of %%%d before its back edge", g.id(v), g.id(c.target))
			return
		}
		for _, w := range g.next[v] {
			if !seen[w] {
				seen[w], stack = true, append(stack, w)
			}
		}
	}
}

// unique notes merge blocks and continue targets, which belong to one header.
func (g *graph) unique(i int32, r *report) {
	c := g.heads[i]
	if c == nil || !g.structural.reached(i) {
		return
	}
	in := g.f.Blocks[i].Merge()
	if g.merges[c.merge] != nil {
		r.faultAt(in, "control flow", "%%%d is the merge block of %%%d already", in.Operands[0], g.id(g.merges[c.merge].header))
	}
	g.merges[c.merge] = c
	if c.kind == switching {
		for _, w := range g.next[i] {
			g.cases[w] = c
		}
	}
	if c.merge == i || !g.structural.dominates(i, c.merge) {
		r.faultAt(in, "control flow", "the header does not dominate its merge block %%%d", in.Operands[0])
	}
	if c.kind != loop {
		return
	}
	if c.target == c.merge {
		r.faultAt(in, "control flow", "merge block and continue target are both %%%d", in.Operands[0])
	}
	if !g.structural.dominates(i, c.target) {
		r.faultAt(in, "control flow", "the header does not dominate its continue target %%%d", in.Operands[1])
	}
	if g.continues[c.target] != nil {
		r.faultAt(in, "control flow", "%%%d is the continue target of another loop", in.Operands[1])
	}
	g.continues[c.target] = c
}

// findConstruct finds the innermost construct of a block. The block's dominator has its construct already.
func (g *graph) findConstruct(v int32) {
	if d := g.structural.idom[v]; d >= 0 {
		g.innermost[v] = g.constructOf(d)
	}
	g.placeInCase(v)
	if c := g.merges[v]; c != nil {
		g.innermost[v] = c.outer
	}
	if c := g.continues[v]; c != nil && c.header != v {
		g.innermost[v] = &construct{kind: continuing, header: c.header, merge: c.merge, target: v, outer: c, depth: c.depth}
	}
	if c := g.heads[v]; c != nil {
		c.outer = g.innermost[v]
		if c.depth = 1; c.outer != nil {
			c.depth += c.outer.depth
		}
	}
}

// placeInCase finds the innermost case construct of a block, by its first block. A case construct is the blocks
// dominated by a target of the switch.
func (g *graph) placeInCase(v int32) {
	g.caseOf[v] = -1
	switch d := g.structural.idom[v]; {
	case g.merges[v] != nil:
		g.caseOf[v] = g.caseOf[g.merges[v].header]
	case g.cases[v] != nil:
		g.caseOf[v] = v
	case d >= 0 && (g.heads[d] == nil || g.heads[d].kind != switching):
		g.caseOf[v] = g.caseOf[d]
	}
}

// constructOf returns the innermost construct that a block belongs to, including the one that it heads.
func (g *graph) constructOf(v int32) *construct {
	if c := g.heads[v]; c != nil {
		return c
	}
	return g.innermost[v]
}

// branches tests where a block branches to.
func (g *graph) branches(v int32, r *report) {
	b := g.f.Blocks[v]
	t := b.Terminator()
	var stay int32 = -1
	split := false
	for _, w := range g.next[v] {
		exit, ok := g.exit(v, w)
		if !ok {
			r.faultAt(t, "control flow", "block %%%d leaves its construct for %%%d, which is not a way out of it", b.ID, g.id(w))
		}
		switch back := g.structural.isSearchAncestor(w, v); {
		case back && (g.heads[w] == nil || g.heads[w].kind != loop):
			r.faultAt(t, "control flow", "block %%%d branches back to %%%d, which is not a loop header", b.ID, g.id(w))
		case back && ok && !exit:
			r.faultAt(t, "control flow", "block %%%d branches back to %%%d, but is not in its continue construct", b.ID, g.id(w))
		case back && ok:
			g.heads[w].backs++
		case ok:
			g.fall(v, w, r)
		}
		if !exit {
			split = split || stay >= 0 && stay != w
			stay = w
		}
	}
	if split && b.Merge() == nil && (t.Op == spirv.OpSwitch || t.Op == spirv.OpBranchConditional) {
		r.faultAt(t, "control flow", "the selection has no merge instruction")
	}
	if ends := t.Op == spirv.OpReturn || t.Op == spirv.OpReturnValue || t.Op == spirv.OpKill; ends && g.continuingAt(v) {
		r.faultAt(t, "control flow", "the function ends within a continue construct")
	}
}

func (g *graph) continuingAt(v int32) bool {
	for c := g.innermost[v]; c != nil; c = c.outer {
		if c.kind == continuing {
			return true
		}
	}
	return false
}

// exit judges an edge: whether it leaves a construct, and whether that is
// allowed. A block may leave constructs for the merge block of the innermost
// one, of the innermost loop, of the innermost switch within that loop, for
// the continue target of that loop, for another case of that switch, and, at
// the end of the continue construct, for the loop's header.
func (g *graph) exit(v, w int32) (exit, ok bool) {
	c := g.constructOf(v)
	if g.innermost[w] == c {
		within := c == nil || c.kind != switching || c.header == v || g.cases[w] == c || g.caseOf[v] == g.caseOf[w]
		return g.cases[w] != nil && g.cases[w].header != v, within
	}
	looped, switched := false, false
	for first := true; c != nil; c = c.outer {
		cycle := c.kind == loop || c.kind == continuing
		switch {
		case w == c.merge && (first || cycle && !looped || c.kind == switching && !looped && !switched):
			return true, true
		case c.kind == loop && !looped && w == c.target && w != c.header:
			return true, true
		case cycle && !looped && w == c.header:
			return true, c.kind == continuing || c.target == c.header
		case c.kind == switching && !looped && !switched && g.cases[w] == c && g.structural.dominates(c.header, w):
			return true, true
		}
		looped, switched, first = looped || cycle, switched || c.kind == switching, false
	}
	return false, false
}

// order tests that a block comes after its dominators.
func (g *graph) order(r *report) {
	for i, b := range g.f.Blocks {
		if d := g.real.idom[i]; int(d) > i {
			r.faultAt(b.Terminator(), "control flow", "block %%%d comes before %%%d, which dominates it", b.ID, g.id(d))
		}
	}
}
