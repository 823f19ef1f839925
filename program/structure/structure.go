// Package structure gives a function whose branches have no merge instructions, as kernels are, the structure that the
// passes and the order of blocks rely on: loops with one latch and one exit block, and the block where the lanes of a branch
// reconverge.
//
// The model is LLVM's for AMD GPUs (UnifyFunctionExitNodes, LoopSimplify, UnifyLoopExits, StructurizeCFG): all returns are
// one, lanes leave a loop by one block, where they wait for the others, and lanes of a branch meet at its immediate
// post-dominator. A block that several branches share stays one block: the emitter lets lanes wait for it.
package structure

import (
	"fmt"
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// An Irreducible error names a block at which a cycle is entered that has another entry.
type Irreducible struct{ Block *ir.Block }

func (e *Irreducible) Error() string {
	return fmt.Sprintf("irreducible control flow: a cycle is entered at b%d and at another block", e.Block.ID)
}

// Apply structures a function. Every block of it must be reachable.
func Apply(f *ir.Func) error {
	for _, b := range f.Blocks {
		b.Merge, b.Continue = nil, nil
	}
	oneReturn(f)
	s := &structurer{f: f}
	if err := s.findLoops(); err != nil {
		return err
	}
	for _, l := range s.loops { // inner loops first
		s.latch(l)
		s.exit(l)
	}
	s.selections()
	return nil
}

// oneReturn makes all ends of the function one block.
func oneReturn(f *ir.Func) {
	var ends []*ir.Block
	for _, b := range f.Blocks {
		if b.Term == ir.Return || b.Term == ir.Unreachable {
			ends = append(ends, b)
		}
	}
	if len(ends) < 2 {
		return
	}
	last := f.NewBlock()
	last.Term, last.Line = ir.Return, ends[len(ends)-1].Line
	for _, b := range ends {
		b.SetSuccs(ir.Jump, nil, last)
	}
}

// A loop is a natural loop.
type loop struct {
	header *ir.Block
	outer  *loop
	blocks []*ir.Block // with those of the loops inside, the header first
	in     map[*ir.Block]bool
}

type structurer struct {
	f     *ir.Func
	loops []*loop             // inner ones before those around them
	inner map[*ir.Block]*loop // innermost loop of each block
}

// findLoops finds the natural loops. An edge back to a block that does not dominate its source makes the function irreducible.
func (s *structurer) findLoops() error {
	o := ir.NewOrder(s.f)
	s.inner = map[*ir.Block]*loop{}
	var found []*loop
	for p, h := range o.Blocks {
		var latches []*ir.Block
		for _, b := range h.Preds {
			q := o.Position[b.ID]
			switch {
			case q < 0 || q < p:
			case !o.Dominates(p, q):
				return &Irreducible{h}
			default:
				latches = append(latches, b)
			}
		}
		if len(latches) > 0 {
			found = append(found, newLoop(h, latches))
		}
	}
	// A header comes before the headers of loops inside. So the last loop that holds a block is its innermost.
	for _, l := range found {
		l.outer = s.inner[l.header]
		for _, b := range l.blocks {
			s.inner[b] = l
		}
	}
	slices.Reverse(found)
	s.loops = found
	return nil
}

func newLoop(h *ir.Block, latches []*ir.Block) *loop {
	l := &loop{header: h, blocks: []*ir.Block{h}, in: map[*ir.Block]bool{h: true}}
	for work := slices.Clone(latches); len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if !l.in[b] {
			l.in[b] = true
			l.blocks = append(l.blocks, b)
			work = append(work, b.Preds...)
		}
	}
	return l
}

// add puts a new block into a loop and those around it; nil: into none.
func (s *structurer) add(b *ir.Block, l *loop) {
	if l != nil {
		s.inner[b] = l
	}
	for ; l != nil; l = l.outer {
		l.in[b] = true
		l.blocks = append(l.blocks, b)
	}
}

// An edge is a way from a block to its i-th successor.
type edge struct {
	from *ir.Block
	i    int
}

func (e edge) to() *ir.Block { return e.from.Succs[e.i] }

// latch gives a loop one back edge, from a block that does nothing else but leave the loop. That is its continue target.
func (s *structurer) latch(l *loop) {
	h := l.header
	var back []edge
	for _, b := range l.blocks {
		for i, t := range b.Succs {
			if t == h {
				back = append(back, edge{b, i})
			}
		}
	}
	from := back[0].from
	leaves := from.Term == ir.Cond && !l.in[from.Succs[1-back[0].i]]
	if len(back) == 1 && from != h && (from.Term == ir.Jump || leaves) {
		h.Continue = from
		return
	}
	h.Continue = s.insert(back, l)
}

// insert puts a block on edges to one target. The edges' phi arguments become phis of the new block.
func (s *structurer) insert(edges []edge, l *loop) *ir.Block {
	to := edges[0].to()
	b := s.f.NewBlock()
	b.Line = edges[0].from.Line
	args := s.redirect(edges, b)
	for k, phi := range to.Phis {
		phi.Args = append(phi.Args, s.join(b, phi, args[k]))
	}
	b.SetSuccs(ir.Jump, nil, to)
	s.add(b, l)
	return b
}

// redirect leads edges with one target to another block. It takes the arguments of the target's phis out, and returns them by phi and edge.
func (s *structurer) redirect(edges []edge, b *ir.Block) [][]*ir.Value {
	to := edges[0].to()
	args := make([][]*ir.Value, len(to.Phis))
	for _, e := range edges {
		n := slices.Index(to.Preds, e.from)
		to.Preds = slices.Delete(to.Preds, n, n+1)
		for k, phi := range to.Phis {
			args[k] = append(args[k], phi.Args[n])
			phi.Args = slices.Delete(phi.Args, n, n+1)
		}
		e.from.Succs[e.i] = b
		b.Preds = append(b.Preds, e.from)
	}
	return args
}

// join returns the one value of a list by predecessor, or a phi of b.
func (s *structurer) join(b *ir.Block, like *ir.Value, args []*ir.Value) *ir.Value {
	same := true
	for _, a := range args[1:] {
		same = same && a == args[0]
	}
	if same {
		return args[0]
	}
	phi := s.f.NewValue(isa.Phi, like.R, like.R, args...)
	phi.Block, phi.Origin = b, like.Origin
	b.Phis = append(b.Phis, phi)
	return phi
}

// exit makes one block of the ways out of a loop, which the header dominates: there the lanes wait for those still in the loop. Behind it,
// a lane goes on to where it left for.
func (s *structurer) exit(l *loop) {
	var out []edge
	var targets []*ir.Block
	for _, b := range l.blocks {
		for i, t := range b.Succs {
			if !l.in[t] {
				out = append(out, edge{b, i})
				if !slices.Contains(targets, t) {
					targets = append(targets, t)
				}
			}
		}
	}
	switch {
	case len(targets) == 0: // no lane leaves the loop
		l.header.Merge = s.f.NewBlock()
		l.header.Merge.Term = ir.Unreachable
	case len(targets) == 1 && len(targets[0].Preds) == len(out):
		l.header.Merge = targets[0]
	case len(targets) == 1:
		l.header.Merge = s.insert(out, l.enclosingLoop(targets))
	default:
		l.header.Merge = s.hub(l, out, targets)
	}
}

// enclosingLoop returns the innermost loop around l that a block belongs to whose ways lead to targets: one of them is in that loop.
func (l *loop) enclosingLoop(targets []*ir.Block) *loop {
	o := l.outer
	for o != nil && !slices.ContainsFunc(targets, func(t *ir.Block) bool { return o.in[t] }) {
		o = o.outer
	}
	return o
}

// hub joins ways out that lead to several targets. A phi has the number of the target of each lane.
func (s *structurer) hub(l *loop, out []edge, targets []*ir.Block) *ir.Block {
	hub := s.f.NewBlock()
	hub.Line = out[0].from.Line
	from := make([]*ir.Block, len(out)) // by predecessor of the hub
	goal := make([]int, len(out))
	places := make([]map[*ir.Value]*ir.Value, len(out)) // by predecessor: the argument that it gave each phi
	for k, e := range out {
		from[k], goal[k], places[k] = e.from, slices.Index(targets, e.to()), map[*ir.Value]*ir.Value{}
		args := s.redirect([]edge{e}, hub)
		for i, phi := range targets[goal[k]].Phis {
			places[k][phi] = args[i][0]
		}
	}
	s.add(hub, l.enclosingLoop(targets))
	number := s.f.NewValue(isa.Phi, isa.I32, isa.I32)
	number.Block = hub
	hub.Phis = append(hub.Phis, number)
	consts := make([]*ir.Value, len(targets))
	for i := range targets {
		consts[i] = s.constant(uint64(i))
	}
	for _, g := range goal {
		number.Args = append(number.Args, consts[g])
	}
	// The arguments of a target's phis meet in the hub.
	joined := make([][]*ir.Value, len(targets))
	for g, t := range targets {
		for _, phi := range t.Phis {
			args := make([]*ir.Value, len(out))
			for k := range out {
				if args[k] = s.undef(phi.R); goal[k] == g {
					args[k] = places[k][phi]
				}
			}
			joined[g] = append(joined[g], s.join(hub, phi, args))
		}
	}
	last := len(targets) - 1
	for at, g := hub, 0; g < last; g++ {
		is := at.Append(s.f.NewValue(isa.IEq, isa.I32, isa.Bool, number, consts[g]))
		next := targets[last]
		if g < last-1 {
			next = s.f.NewBlock()
			next.Line = hub.Line
			s.add(next, l.enclosingLoop(targets[g+1:]))
		}
		at.SetSuccs(ir.Cond, is, targets[g], next)
		at = next
	}
	for g, t := range targets {
		for i, phi := range t.Phis {
			phi.Args = append(phi.Args, joined[g][i])
		}
	}
	s.keepValues(l, hub, from)
	return hub
}

// keepValues lets the values of a loop reach their uses behind its hub, which they no longer dominate: as phis of the hub.
func (s *structurer) keepValues(l *loop, hub *ir.Block, from []*ir.Block) {
	o := ir.NewOrder(s.f)
	in := func(b *ir.Block) bool { return o.Dominates(o.Position[hub.ID], o.Position[b.ID]) }
	carried := map[*ir.Value]*ir.Value{}
	reach := func(v *ir.Value) *ir.Value {
		if !l.in[v.Block] {
			return v
		}
		if c := carried[v]; c != nil {
			return c
		}
		args := make([]*ir.Value, len(from))
		for k, p := range from {
			if args[k] = s.undef(v.R); o.Dominates(o.Position[v.Block.ID], o.Position[p.ID]) {
				args[k] = v
			}
		}
		carried[v] = s.join(hub, v, args)
		return carried[v]
	}
	for _, b := range s.f.Blocks {
		if o.Position[b.ID] < 0 {
			continue
		}
		for _, phi := range b.Phis {
			for i, p := range b.Preds {
				if b != hub && !l.in[p] && in(p) {
					phi.Args[i] = reach(phi.Args[i])
				}
			}
		}
		if l.in[b] || !in(b) {
			continue
		}
		for _, v := range b.Code {
			for i, a := range v.Args {
				v.Args[i] = reach(a)
			}
		}
		if b.Cond != nil {
			b.Cond = reach(b.Cond)
		}
	}
}

// constant and undef put a value at the start of the function.
func (s *structurer) constant(n uint64) *ir.Value {
	v := s.first(isa.Const, isa.I32)
	v.Imm = n
	return v
}

func (s *structurer) undef(t isa.Type) *ir.Value { return s.first(isa.Undef, t) }

func (s *structurer) first(op isa.Op, t isa.Type) *ir.Value {
	v := s.f.NewValue(op, t, t)
	b := s.f.Blocks[0]
	v.Block = b
	b.Code = slices.Insert(b.Code, 0, v)
	return v
}

// selections sets the merge blocks of the branches that stay in their loop: the immediate post-dominator, where that is in
// the loop too and the branch dominates it.
func (s *structurer) selections() {
	s.splitHeaders()
	o := ir.NewOrder(s.f)
	post := s.postDominators(o)
	for p, b := range o.Blocks {
		if b.Term != ir.Cond || b.Merge != nil || s.inner[b.Succs[0]] != s.inner[b] && !s.entersLoop(b, 0) || s.inner[b.Succs[1]] != s.inner[b] && !s.entersLoop(b, 1) {
			continue
		}
		q := post[p]
		if q < 0 || q >= len(o.Blocks) || !o.Dominates(p, q) || o.Blocks[q] == b {
			continue
		}
		m := o.Blocks[q]
		if s.inner[m] == s.inner[b] && (s.inner[b] == nil || m != s.inner[b].header && m != s.inner[b].header.Continue) {
			b.Merge = m
		}
	}
}

// entersLoop reports that a branch leads into a loop within that of the branch.
func (s *structurer) entersLoop(b *ir.Block, i int) bool {
	l := s.inner[b.Succs[i]]
	return l != nil && l.header == b.Succs[i] && l.outer == s.inner[b]
}

// splitHeaders moves the branch of a loop's header that leads into the loop both ways to a block of its own.
func (s *structurer) splitHeaders() {
	for _, l := range s.loops {
		h := l.header
		if h.Term != ir.Cond || !l.in[h.Succs[0]] || !l.in[h.Succs[1]] || h.Continue == h {
			continue
		}
		b := s.f.NewBlock()
		b.Line = h.Line
		b.Term, b.Cond, b.Succs, b.Code = h.Term, h.Cond, h.Succs, h.Code
		for _, v := range b.Code {
			v.Block = b
		}
		for _, t := range b.Succs {
			for i, p := range t.Preds {
				if p == h {
					t.Preds[i] = b
				}
			}
		}
		h.Code, h.Cond, h.Succs = nil, nil, nil
		h.SetSuccs(ir.Jump, nil, b)
		s.add(b, l)
	}
}

// postDominators returns the place of the immediate post-dominator by place, without back edges: a lane that goes round
// a loop has reached its end. len(o.Blocks) is the end of the function and of every loop.
func (s *structurer) postDominators(o *ir.Order) []int {
	end := len(o.Blocks)
	post := make([]int, end+1)
	for i := range post {
		post[i] = -1
	}
	post[end] = end
	up := func(x, y int) int {
		for x != y {
			if x < y {
				x = post[x]
			} else {
				y = post[y]
			}
		}
		return x
	}
	// Without back edges successors come later, so one pass from the last place finds them all.
	for p := end - 1; p >= 0; p-- {
		at := -1
		for _, t := range o.Blocks[p].Succs {
			q := o.Position[t.ID]
			if q <= p {
				q = end
			}
			if at < 0 {
				at = q
			} else {
				at = up(at, q)
			}
		}
		if post[p] = at; at < 0 {
			post[p] = end
		}
	}
	return post
}
