package opt

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// divergence decides which values the scalar unit computes and sets ir.Value.Uniform. A value is uniform if it is equal
// in all active lanes, its operands are in scalar registers, and the scalar unit has the operation.
//
// The method is that of Karrenberg and Hack (Whole-function vectorization, 2011)
// as LLVM does it: divergence flows along data, from a divergent branch to the
// phis at which its paths meet, and out of loops that lanes leave in different
// iterations.
func divergence(f *ir.Func, o Options) bool {
	d := analyse(f, o, true)
	for d.closeLoops() && !o.stopped() { // each round closes more loops, so this ends
		d = analyse(f, o, true)
	}
	d.store()
	return true
}

// placement is divergence that does not change the function: values that leave a divergent loop are divergent inside it
// too.
func placement(f *ir.Func, o Options) bool {
	analyse(f, o, false).store()
	return true
}

// A divergenceAnalysis is the state of the fixpoint: values are uniform until shown to diverge.
type divergenceAnalysis struct {
	f        *ir.Func
	o        Options
	g        *graph
	u        *uses
	isDiv    []bool // by value id
	worklist []*ir.Value

	divergentExits []bool // by loop: lanes leave in different iterations
	closing        bool   // keep values uniform that a phi after the loop can carry out
	anywhere       bool   // values that are the same in all lanes are uniform even if the scalar unit cannot compute them
	escapes        []escape

	// The search of joins: the label of each place, valid when its turn is the
	// present one.
	labels, searchOf []int
	search           int
	reached          []int       // places that have a label of this turn
	skipTo           []int       // by place: where the search continues after the blocks that it dominates, see shortcuts
	visited          int         // number of places visited by the searches
	headers          []*ir.Block // loop headers that a back edge reached
}

// An escape is a value that is uniform in a divergent loop and used after it.
type escape struct {
	v *ir.Value
	l *loop
}

func analyse(f *ir.Func, o Options, closing bool) *divergenceAnalysis {
	d := newAnalysis(f, o, closing)
	d.run()
	return d
}

func newAnalysis(f *ir.Func, o Options, closing bool) *divergenceAnalysis {
	g := newGraph(f)
	return &divergenceAnalysis{f: f, o: o, g: g, u: newUses(f), isDiv: make([]bool, f.NumValues()), closing: closing,
		divergentExits: make([]bool, len(g.loops)), labels: make([]int, len(g.Blocks)), searchOf: make([]int, len(g.Blocks)), skipTo: g.shortcuts()}
}

func (d *divergenceAnalysis) run() {
	eachValue(d.f, func(v *ir.Value) {
		if d.source(v) {
			d.markDivergent(v)
		}
	})
	for _, v := range d.missing() {
		d.markDivergent(v)
	}
	for len(d.worklist) > 0 && !d.o.stopped() {
		v := d.worklist[len(d.worklist)-1]
		d.worklist = d.worklist[:len(d.worklist)-1]
		for _, w := range d.u.users(v) {
			if !sameInWave(w, d.o) {
				d.markDivergent(w)
			}
		}
		for _, b := range d.u.branches(v) {
			d.branch(b)
		}
	}
}

func (d *divergenceAnalysis) markDivergent(v *ir.Value) {
	if !d.isDiv[v.ID] {
		d.isDiv[v.ID] = true
		d.worklist = append(d.worklist, v)
	}
}

func (d *divergenceAnalysis) store() {
	eachValue(d.f, func(v *ir.Value) { v.Uniform = !d.isDiv[v.ID] && v.R != isa.Void })
}

// source reports that v diverges whatever its arguments are.
func (d *divergenceAnalysis) source(v *ir.Value) bool {
	switch {
	case d.anywhere && v.Op.Has(isa.FlagReads) && !v.Op.Has(isa.FlagAtomic):
		return v.Mem.Space == isa.SpaceScratch
	case v.Op == isa.Load:
		return !scalarLoad(v, d.o)
	case readsImage(v) || v.Op.Has(isa.FlagAtomic):
		return true
	case sameInWave(v, d.o):
		return false
	}
	return v.Op.Has(isa.FlagPerLane) || crossLane(v) || !d.anywhere && !onScalarUnit(v, d.o)
}

// sameInWave reports that all lanes get one result though the arguments differ.
// The size of a buffer is so only when the lanes ask for the same buffer.
func sameInWave(v *ir.Value, o Options) bool {
	if v.Op == isa.Reduce {
		_, cluster := isa.SplitGroupImm(v.Imm)
		return cluster == 0 || cluster >= o.WaveSize
	}
	return v.Op.Has(isa.FlagUniform) && v.Mem == nil
}

// scalarLoad reports that the scalar cache serves the load if the address is
// uniform: push constants, and whole words of memory that is not written. Mesa's ACO also does so for what a pointer may
// not write, whatever other names do to it (visit_load_global: ACCESS_NON_WRITEABLE).
func scalarLoad(v *ir.Value, o Options) bool {
	m := v.Mem
	if m.Volatile || m.Coherent {
		return false
	}
	byPointer := m.Space == isa.SpaceFlat && (m.NonWritable && !o.SelectBuffers || m.Unclobbered)
	ofMemory := m.ReadOnly && (m.Space == isa.SpaceBuffer || m.Space == isa.SpaceFlat) || byPointer
	return m.Space == isa.SpacePush || ofMemory && m.Elem.Bits() >= 32
}

// branch marks values that depend on the way that lanes take out of b: the phis where disjoint paths from b meet, and
// the exits of loops that one path leaves while another repeats them.
//
// Each block gets as label the path that reaches it; one that two labels reach
// starts a label of its own. The search ends where all paths have become one.
func (d *divergenceAnalysis) branch(b *ir.Block) {
	if !d.g.reachable(b) || b.Succs[0] == b.Succs[1] {
		return
	}
	d.search++
	d.headers, d.reached = d.headers[:0], d.reached[:0]
	at := d.g.Position[b.ID]
	pending := d.labelPath(at, b.Succs[0], 0) + d.labelPath(at, b.Succs[1], 1)
	end := at + 1
	for ; end < len(d.g.Blocks) && pending > 1; end++ {
		if d.searchOf[end] != d.search {
			continue
		}
		pending--
		if to := d.skipTo[end]; to >= 0 {
			pending += d.labelPath(end, d.g.Blocks[to], d.labels[end])
			continue
		}
		for _, s := range d.g.Blocks[end].Succs {
			pending += d.labelPath(end, s, d.labels[end])
		}
	}
	for _, h := range d.headers {
		d.leaveLoop(d.g.loopOf(h), at)
	}
}

// labelPath labels s with a path to it. It returns 1 if s is new, else 0.
func (d *divergenceAnalysis) labelPath(from int, s *ir.Block, label int) int {
	q := d.g.Position[s.ID]
	d.visited++
	own := q + 2 // labels 0 and 1 are the sides of the branch
	switch {
	case q <= from:
		d.headers = append(d.headers, s)
	case d.searchOf[q] != d.search:
		d.searchOf[q], d.labels[q], d.reached = d.search, label, append(d.reached, q)
		return 1
	case d.labels[q] != label && d.labels[q] != own:
		d.labels[q] = own
		d.join(s)
	}
	return 0
}

func (d *divergenceAnalysis) join(b *ir.Block) {
	for _, phi := range b.Phis {
		d.markDivergent(phi)
	}
}

// leaveLoop handles a path from the branch at the given place that repeats the loop. If another path does not, lanes
// leave in different iterations.
func (d *divergenceAnalysis) leaveLoop(l *loop, at int) {
	i := d.g.inLoop[d.g.Position[l.header.ID]]
	if d.divergentExits[i] || !l.has(at) || !d.reachedOutside(l) {
		return
	}
	d.divergentExits[i] = true
	for b := range l.blocks {
		for _, s := range b.Succs {
			if !d.g.contains(l, s) {
				d.join(s)
			}
		}
		d.escape(l, b.Phis)
		d.escape(l, b.Code)
	}
}

// reachedOutside reports whether the search reached a block from which the loop's header is not reached again.
func (d *divergenceAnalysis) reachedOutside(l *loop) bool {
	return slices.ContainsFunc(d.reached, func(place int) bool { return !l.goesRound(place) })
}

// escape deals with the values of a divergent loop that are used after it,
// where lanes see the values of different iterations.
func (d *divergenceAnalysis) escape(l *loop, vs []*ir.Value) {
	for _, v := range vs {
		switch x := d.exitOf(v, l); {
		case literal(v) || x == staysInside:
		case d.closing && x == byMerge:
			d.escapes = append(d.escapes, escape{v, l})
		default:
			d.markDivergent(v)
		}
	}
}

// An exit is the way by which the uses of a value after its loop are reached.
type exit int

const (
	staysInside exit = iota // there are none
	byMerge                 // all through the merge block, so that a phi there can carry the value
	otherwise
)

func (d *divergenceAnalysis) exitOf(v *ir.Value, l *loop) exit {
	out := staysInside
	see := func(b *ir.Block) {
		switch {
		case d.g.contains(l, b):
		case out != otherwise && l.merge != nil && d.g.dominates(l.merge, b):
			out = byMerge
		default:
			out = otherwise
		}
	}
	for _, w := range d.u.users(v) {
		for k, a := range w.Args {
			if a == v {
				see(usedIn(w, k))
			}
		}
	}
	for _, b := range d.u.branches(v) {
		if b.Cond == v {
			see(b)
		}
	}
	if out == byMerge && !d.reachesMerge(v, l) {
		return otherwise
	}
	return out
}

// usedIn returns the block in which, or at whose end, w uses its k-th argument.
func usedIn(w *ir.Value, k int) *ir.Block {
	if w.Op == isa.Phi {
		return w.Block.Preds[k]
	}
	return w.Block
}

// reachesMerge reports that v is known at all ways into the merge block.
func (d *divergenceAnalysis) reachesMerge(v *ir.Value, l *loop) bool {
	return !slices.ContainsFunc(l.merge.Preds, func(p *ir.Block) bool { return !d.g.contains(l, p) || !d.g.dominates(v.Block, p) })
}

// closeLoops carries the values that escape through phis at the merge block.
func (d *divergenceAnalysis) closeLoops() bool {
	changed := false
	for _, e := range d.escapes {
		if !d.isDiv[e.v.ID] && d.exitOf(e.v, e.l) != staysInside {
			d.replaceOutside(e.v, closingPhi(d.f, e.v, e.l), e.l)
			changed = true
		}
	}
	return changed
}

// replaceOutside makes the uses of v after the loop uses of phi.
func (d *divergenceAnalysis) replaceOutside(v, phi *ir.Value, l *loop) {
	for _, w := range d.u.users(v) {
		for k, a := range w.Args {
			if a == v && !d.g.contains(l, usedIn(w, k)) {
				w.Args[k] = phi
			}
		}
	}
	for _, b := range d.u.branches(v) {
		if !d.g.contains(l, b) && b.Cond == v {
			b.Cond = phi
		}
	}
}

func closingPhi(f *ir.Func, v *ir.Value, l *loop) *ir.Value {
	phi := f.NewValue(isa.Phi, v.R, v.R)
	for range l.merge.Preds {
		phi.Args = append(phi.Args, v)
	}
	phi.Block, phi.Origin = l.merge, v.Origin
	l.merge.Phis = append(l.merge.Phis, phi)
	return phi
}
