package opt

import (
	"maps"
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// unroll replaces innermost loops by copies of their body, one for each trip, if their number is a small constant. A
// round does not unroll the copies that it made: they are folded first.
func unroll(f *ir.Func, o Options) bool {
	changed := !o.SelectBuffers && removeIdleLoops(f)
	g := newGraph(f)
	u := newUses(f)
	for _, c := range copiers(f, g, u, func(l *loop) unrolling { return mayUnroll(g, l, u, o) }) {
		c.copyAll()
		changed = true
	}
	if changed {
		removeUnreachable(f)
		trivialPhis(f)
	}
	return changed
}

// unrollAgain is unroll where Mesa is the model, which repeats its passes: arrays that became values leave loops idle.
func unrollAgain(f *ir.Func, o Options) bool { return !o.SelectBuffers && unroll(f, o) }

// isInnermost reports that no loop is in loop i.
func (g *graph) isInnermost(i int) bool {
	return !slices.ContainsFunc(g.loops, func(l *loop) bool { return l.parent == i })
}

// copiers returns copiers of the innermost loops that have a plan. The values of all are closed before any is copied, because copies
// are uses that u does not have.
func copiers(f *ir.Func, g *graph, u *uses, planOf func(l *loop) unrolling) (list []*copier) {
	for i, l := range g.loops {
		if !g.isInnermost(i) || l.merge == nil || l.latch == nil || l.header.Unroll == keepLoop || len(l.header.Preds) != 2 {
			continue
		}
		if plan := planOf(l); plan.exit != nil && closeForCopies(f, g, l, u) {
			list = append(list, &copier{f: f, g: g, l: l, unrolling: plan, values: map[*ir.Value]*ir.Value{}})
		}
	}
	return list
}

// An unrolling is a plan for a loop. exit is taken in iteration last, or, if that is a guess, in any iteration.
type unrolling struct {
	exit  *ir.Block // nil: nothing
	last  int
	guess *ir.Value // the counter of a guess, which indexes an array; nil: last is known
}

// tripCount finds an exit that every iteration tests, and the iteration, counted from 0, in which it is taken. It
// evaluates the test for each iteration in turn, so any way of counting works that starts from constants.
func tripCount(g *graph, l *loop, most int) (*ir.Block, int) {
	for b := range l.blocks {
		if b.Term != ir.Cond || !g.dominates(b, l.latch) || goesRound(g, l, b, 0) == goesRound(g, l, b, 1) {
			continue
		}
		if n := simulate(g, l, b, most, nil); n >= 0 {
			return b, n
		}
	}
	return nil, 0
}

// goesRound reports that the i-th way out of b stays on the way to the header.
func goesRound(g *graph, l *loop, b *ir.Block, i int) bool {
	return l.goesRound(g.Position[b.Succs[i].ID])
}

// simulate evaluates the test of an exit up to the iteration in which it is taken, and returns that, or -1 if it is not
// known. more holds additional known values.
func simulate(g *graph, l *loop, exit *ir.Block, most int, more map[*ir.Value]uint64) int {
	back := predOf(l.header, l.latch)
	leaveOn := uint64(0)
	if goesRound(g, l, exit, 1) {
		leaveOn = 1
	}
	now := map[*ir.Value]uint64{}
	for _, phi := range l.header.Phis {
		if start := phi.Args[1-back]; start.Op == isa.Const {
			now[phi] = start.Imm
		}
	}
	for n := 0; n <= most; n++ {
		e := evaluation{values: now}
		maps.Copy(now, more)
		c, ok := e.value(exit.Cond)
		if !ok {
			return -1
		}
		if c == leaveOn {
			return n
		}
		next := map[*ir.Value]uint64{}
		for _, phi := range l.header.Phis {
			if _, ok := now[phi]; !ok {
				continue
			}
			if x, ok := e.value(phi.Args[back]); ok {
				next[phi] = x
			}
		}
		now = next
	}
	return -1
}

// An evaluation computes values of one iteration. Failures are remembered too.
type evaluation struct {
	values map[*ir.Value]uint64
	fails  map[*ir.Value]bool
}

func (e *evaluation) value(v *ir.Value) (uint64, bool) {
	if v.Op == isa.Const {
		return v.Imm, true
	}
	if x, ok := e.values[v]; ok {
		return x, true
	}
	if !foldable(v) || len(v.Args) == 0 || e.fails[v] {
		return 0, false
	}
	var args [4]uint64
	for i, a := range v.Args {
		x, ok := e.value(a)
		if !ok {
			e.fail(v)
			return 0, false
		}
		args[i] = x
	}
	x := isa.Eval(v.Op, v.T, v.From, v.Imm, args[:len(v.Args)]...)
	e.values[v] = x
	return x, true
}

func (e *evaluation) fail(v *ir.Value) {
	if e.fails == nil {
		e.fails = map[*ir.Value]bool{}
	}
	e.fails[v] = true
}

// closeForCopies makes values of the loop leave it through phis only, and
// reports whether it could.
func closeForCopies(f *ir.Func, g *graph, l *loop, u *uses) bool {
	d := &divergenceAnalysis{f: f, g: g, u: u}
	var leaving []*ir.Value
	for b := range l.blocks {
		if len(b.Succs) == 2 && b.Succs[0] == b.Succs[1] {
			return false
		}
		for _, vs := range [][]*ir.Value{b.Phis, b.Code} {
			for _, v := range vs {
				switch d.exitOf(v, l) {
				case otherwise:
					return false
				case byMerge:
					leaving = append(leaving, v)
				}
			}
		}
	}
	for _, v := range leaving {
		d.replaceOutside(v, closingPhi(f, v, l), l)
	}
	return true
}

// A copier makes the copies of a loop's blocks.
type copier struct {
	f *ir.Func
	g *graph
	l *loop
	unrolling

	values map[*ir.Value]*ir.Value // in the present copy
	blocks []*ir.Block             // copies by place
}

// copyAll makes copies 0 to last, of which the last leaves at the exit. For a guess it makes copies 0 to last-1 with
// their tests, and the loop follows.
func (c *copier) copyAll() {
	back := predOf(c.l.header, c.l.latch)
	from := c.l.header.Preds[1-back]
	start := make([]*ir.Value, len(c.l.header.Phis))
	for i, phi := range c.l.header.Phis {
		start[i] = phi.Args[1-back]
	}
	copies := c.last + 1
	if c.guess != nil {
		copies = c.last
	}
	for n := range copies {
		clear(c.values)
		for i, phi := range c.l.header.Phis {
			c.values[phi] = start[i]
		}
		c.copyBlocks()
		h := c.blockOf(c.l.header)
		h.Preds = []*ir.Block{from}
		if n == 0 {
			c.linkEntry(from, h)
		} else {
			from.Succs = redirect(from.Succs, c.l.header, h)
		}
		if c.guess == nil {
			c.decide(n == c.last)
		}
		from = c.blockOf(c.l.latch)
		for i, phi := range c.l.header.Phis {
			start[i] = c.valueOf(phi.Args[back])
		}
	}
	if c.guess != nil {
		c.goOn(from, start)
		return
	}
	if slices.Contains(from.Succs, c.l.header) {
		// No path reaches the last latch: its branch back goes nowhere.
		from.Term, from.Cond, from.Succs = ir.Unreachable, nil, nil
	}
	c.discard()
}

// goOn jumps from the last copy to the loop, which is not unrolled again.
func (c *copier) goOn(from *ir.Block, start []*ir.Value) {
	h := c.l.header
	entry := 1 - predOf(h, c.l.latch)
	h.Preds[entry], h.Unroll = from, keepLoop
	for i, phi := range h.Phis {
		phi.Args[entry] = start[i]
	}
	c.dropOutside()
}

// linkEntry leads into the first copy instead of the loop.
func (c *copier) linkEntry(from, h *ir.Block) {
	from.Succs = redirect(from.Succs, c.l.header, h)
	for _, b := range c.f.Blocks {
		if b.Merge == c.l.header {
			b.Merge = h
		}
		if b.Continue == c.l.header && b != c.l.header {
			b.Continue = h
		}
	}
	h.Merge = c.l.merge
}

func redirect(succs []*ir.Block, old, new *ir.Block) []*ir.Block {
	list := append([]*ir.Block(nil), succs...)
	for i, s := range list {
		if s == old {
			list[i] = new
		}
	}
	return list
}

func (c *copier) blockOf(b *ir.Block) *ir.Block {
	if b == nil || !c.g.contains(c.l, b) {
		return b
	}
	return c.blocks[c.g.Position[b.ID]]
}

func (c *copier) valueOf(v *ir.Value) *ir.Value {
	if w := c.values[v]; w != nil {
		return w
	}
	return v
}

func (c *copier) copyBlocks() {
	c.blocks = make([]*ir.Block, len(c.g.Blocks))
	for b := range c.l.blocks {
		c.blocks[c.g.Position[b.ID]] = c.f.NewBlock()
	}
	for b := range c.l.blocks {
		if b != c.l.header {
			c.blockOf(b).Phis = c.copyValues(b.Phis, c.blockOf(b))
		}
		c.blockOf(b).Code = c.copyValues(b.Code, c.blockOf(b))
	}
	for b := range c.l.blocks {
		c.finish(b, c.blockOf(b))
	}
}

// copyValues copies values with their old arguments: phis may name values that
// have no copy yet.
func (c *copier) copyValues(vs []*ir.Value, to *ir.Block) []*ir.Value {
	list := make([]*ir.Value, 0, len(vs))
	for _, v := range vs {
		w := c.f.NewValue(v.Op, v.T, v.R)
		id := w.ID
		*w = *v
		w.ID, w.Block = id, to
		w.Args = append([]*ir.Value(nil), v.Args...)
		if v.Mem != nil {
			m := *v.Mem
			w.Mem = &m
		}
		c.values[v] = w
		list = append(list, w)
	}
	return list
}

// finish sets the arguments and edges of n, the copy of b.
func (c *copier) finish(b, n *ir.Block) {
	for _, vs := range [][]*ir.Value{n.Phis, n.Code} {
		for _, v := range vs {
			for i, a := range v.Args {
				v.Args[i] = c.valueOf(a)
			}
		}
	}
	n.Term, n.Line, n.Unroll = b.Term, b.Line, b.Unroll
	if b.Cond != nil {
		n.Cond = c.valueOf(b.Cond)
	}
	if b != c.l.header {
		n.Merge, n.Continue = c.blockOf(b.Merge), c.blockOf(b.Continue)
		for _, p := range b.Preds {
			n.Preds = append(n.Preds, c.blockOf(p))
		}
	}
	for _, s := range b.Succs {
		switch {
		case s == c.l.header:
			n.Succs = append(n.Succs, s) // redirected to the next copy
		case !c.g.contains(c.l, s):
			n.Succs = append(n.Succs, s)
			c.linkExit(b, n, s)
		default:
			n.Succs = append(n.Succs, c.blockOf(s))
		}
	}
}

// linkExit makes n a predecessor of s, after the loop, as b is.
func (c *copier) linkExit(b, n, s *ir.Block) {
	k := predOf(s, b)
	s.Preds = append(s.Preds, n)
	for _, phi := range s.Phis {
		phi.Args = append(phi.Args, c.valueOf(phi.Args[k]))
	}
}

// decide makes the test of the exit in the present copy a jump.
func (c *copier) decide(leave bool) {
	b := c.blockOf(c.exit)
	i := 0
	if goesRound(c.g, c.l, c.exit, 0) == leave {
		i = 1
	}
	if b.Succs[1-i] == c.l.header { // the copy is not yet among its predecessors
		b.Term, b.Cond, b.Succs = ir.Jump, nil, []*ir.Block{b.Succs[i]}
		return
	}
	keepEdge(b, i)
}

// discard takes the loop itself out of the graph.
func (c *copier) discard() {
	for b := range c.l.blocks {
		for i, s := range b.Succs {
			if !c.g.contains(c.l, s) {
				dropEdge(b, i)
			}
		}
	}
}
