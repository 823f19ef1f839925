package program

import (
	"fmt"
	"slices"
	"sort"

	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv/validate"
)

// A span is a half-open range of points in the linear program.
type span struct{ from, to int }

// A coalescedClass is a set of values that share a register: a phi and those of its arguments that end at the phi.
type coalescedClass struct {
	spans     []span // ordered, disjoint
	scalar    bool
	rows      int   // consecutive vector rows: 1 or 2
	regs      int   // 32-bit registers as hardware counts them
	lanes     int   // lanes of vector registers that keep it instead
	reg       int   // first row, or word
	id        int   // id of the value that the group was made for
	members   []int // ids of the others
	phiCopies []phiCopy
}

// A phiCopy is a copy that makes a phi from a value, by id. It holds from point at to the end of the block, three points
// later.
type phiCopy struct{ point, src int }

// allocation maps values to registers by first fit over live ranges with holes.
type allocation struct {
	groups []*coalescedClass // by value id; nil for values that need no register

	vectorRows, scalarWords int
	scalarRegs              int // 32-bit scalar registers at the tightest point
	points                  int
}

// maxRegs bounds the register files: register numbers are 16 bits wide.
const maxRegs = 1 << 15

// measure finds the live ranges of a function's values: registers are still to be given.
func measure(f *ir.Func, fl *flow, lv *liveness, pre []*ir.Value, waveSize int) *allocation {
	s := newSpans(f, fl, lv, pre, waveSize)
	a := &allocation{groups: s.groups, points: s.firstPoint[len(s.firstPoint)-1]}
	a.vectorRows, a.scalarWords = a.pressure(a.points)
	a.countScalars(a.points)
	return a
}

// allocate assigns registers to measured values.
func (a *allocation) allocate(f *ir.Func, fl *flow, lv *liveness, waveSize int) error {
	if a.vectorRows < maxRegs && a.scalarWords < maxRegs {
		a.coalesce(fl, lv, waveSize)
		a.assign()
	}
	if a.vectorRows >= maxRegs || a.scalarWords >= maxRegs {
		return fmt.Errorf("program: %w: %s needs %d vector rows and %d scalar words: more than %d can't be numbered",
			validate.ErrUnsupported, f.Name, a.vectorRows, a.scalarWords, maxRegs)
	}
	a.countScalars(a.points)
	return nil
}

// spans builds the live ranges of every value, block by block from the last.
//
// Points: instruction k of a block reads at 2k and writes at 2k+1. A block ends
// with three more: copies read, copies write, the branch reads.
type spans struct {
	groups     []*coalescedClass
	values     []*ir.Value // by id
	live       []int       // by id: exclusive end of the span being built, 0 when dead
	ids        []int       // ids that have been live in this block
	firstPoint []int       // by place: first point of the block; the last entry is the end

	waveSize int
}

func newSpans(f *ir.Func, fl *flow, lv *liveness, pre []*ir.Value, waveSize int) *spans {
	n := f.NumValues()
	s := &spans{waveSize: waveSize, groups: make([]*coalescedClass, n), values: make([]*ir.Value, n), live: make([]int, n)}
	for _, v := range pre {
		s.note(v)
	}
	s.firstPoint = append(make([]int, 0, len(fl.Blocks)+1), 2)
	for i, b := range fl.Blocks {
		s.firstPoint = append(s.firstPoint, s.firstPoint[i]+2*len(b.Code)+6)
		for _, v := range b.Phis {
			s.note(v)
		}
		for _, v := range b.Code {
			s.note(v)
		}
	}
	for i := len(fl.Blocks) - 1; i >= 0; i-- {
		b := fl.Blocks[i]
		s.block(b, lv.out[b.ID], lv.copies[b.ID], s.firstPoint[i], s.firstPoint[i+1])
	}
	for _, v := range pre {
		s.add(v.ID, span{0, 2})
	}
	s.keepForWaiting(fl)
	for _, g := range s.groups {
		if g != nil {
			g.spans = mergeSpans(g.spans)
			slices.Reverse(g.phiCopies)
		}
	}
	return s
}

// keepForWaiting widens the spans of scalar registers that lanes need while they wait. A phi's word belongs to it from
// the first copy on: later copies write the bits of other lanes, or are not reached. A lane mask that is used after a
// loop keeps the bits of lanes that left early throughout the loop, in which other lanes write their own bits.
func (s *spans) keepForWaiting(fl *flow) {
	for i, b := range fl.Blocks {
		for _, phi := range b.Phis {
			if !inScalar(phi) {
				continue
			}
			for _, p := range b.Preds {
				if at := fl.Position[p.ID]; at >= 0 && at < i {
					s.add(phi.ID, span{s.firstPoint[at+1] - 3, s.firstPoint[i]})
				}
			}
		}
	}
	masks := s.masks()
	for h, b := range fl.Blocks {
		for _, p := range b.Preds {
			if latch := fl.Position[p.ID]; latch >= h {
				s.keepMasks(masks, span{s.firstPoint[h], s.firstPoint[latch+1]})
			}
		}
	}
}

// masks returns the ids of lane masks.
func (s *spans) masks() (ids []int) {
	for id, v := range s.values {
		if v != nil && v.R == isa.Bool && !v.Uniform {
			ids = append(ids, id)
		}
	}
	return ids
}

func (s *spans) keepMasks(masks []int, loop span) {
	for _, id := range masks {
		born, needed := false, false
		for _, sp := range s.groups[id].spans {
			born = born || sp.from >= loop.from && sp.from < loop.to
			needed = needed || sp.to > loop.to
		}
		if born && needed {
			s.add(id, loop)
		}
	}
}

func (s *spans) note(v *ir.Value) {
	if literal(v) || v.R == isa.Void {
		return
	}
	s.values[v.ID] = v
	s.groups[v.ID] = &coalescedClass{scalar: inScalar(v), rows: v.R.Rows(), regs: hardwareRegs(v, s.waveSize), reg: -1, id: v.ID}
	if v.InLanes {
		s.groups[v.ID].lanes = int(v.R.Bits()+31) / 32
	}
}

// hardwareRegs counts 32-bit registers: a lane mask takes as many bits as the wave has lanes, and a value in lanes of a
// vector register takes none.
func hardwareRegs(v *ir.Value, waveSize int) int {
	switch {
	case v.InLanes:
		return 0
	case v.R.Bits() == 64 || v.R == isa.Bool && !v.Uniform && waveSize == 64:
		return 2
	}
	return 1
}

func (s *spans) add(id int, sp span) {
	g := s.groups[id]
	g.spans = append(g.spans, sp)
}

func (s *spans) use(v *ir.Value, to int) {
	if !literal(v) && s.live[v.ID] == 0 {
		s.live[v.ID] = to
		s.ids = append(s.ids, v.ID)
	}
}

func (s *spans) def(v *ir.Value, at int) {
	s.add(v.ID, span{at, max(s.live[v.ID], at+1)})
	s.live[v.ID] = 0
}

func (s *spans) block(b *ir.Block, out bitset, copies []copyTo, start, end int) {
	s.ids = s.ids[:0]
	out.visit(func(id int) {
		if v := s.values[id]; v != nil {
			s.use(v, end)
		}
	})
	if b.Cond != nil {
		s.use(b.Cond, end-1)
	}
	for _, c := range copies {
		s.def(c.phi, end-3)
		if g := s.groups[c.phi.ID]; !g.scalar && !literal(c.src) {
			g.phiCopies = append(g.phiCopies, phiCopy{end - 3, c.src.ID})
		}
	}
	for _, c := range copies {
		s.use(c.src, end-3)
	}
	projs := map[*ir.Value][]*ir.Value{}
	for i := len(b.Code) - 1; i >= 0; i-- {
		if v := b.Code[i]; v.Op == isa.Proj {
			projs[v.Args[0]] = append(projs[v.Args[0]], v)
		} else if !literal(v) {
			s.instruction(v, projs[v], start+2*i)
		}
	}
	for _, id := range s.ids {
		if s.live[id] != 0 {
			s.add(id, span{start, s.live[id]})
			s.live[id] = 0
		}
	}
}

func (s *spans) instruction(v *ir.Value, projs []*ir.Value, at int) {
	for _, p := range projs {
		s.def(p, at+1)
	}
	if v.R != isa.Void && s.live[v.ID] > 0 { // an atomic operation whose result is not read does not write it
		s.def(v, at+1)
	}
	args := v.Args
	if v.Op == isa.MatrixMulAdd { // the sum may go on in the registers of C
		a, b, c := matrixArgs(v, s.waveSize)
		for _, x := range c {
			s.use(x, at+1)
		}
		args = args[:len(a)+len(b)]
	}
	for _, x := range args {
		if keepsSource(v, x) {
			s.use(x, at+2)
		} else {
			s.use(x, at+1)
		}
	}
}

// keepsSource reports whether an instruction's result must not share a register with a source, because it may write a
// result before it has read every source. A 64-bit result may be in the registers of a 64-bit source: pairs begin with
// even registers, so that they have both in common or none.
func keepsSource(v, x *ir.Value) bool {
	if v.Op == isa.Load {
		return v.Mem.HasBindex
	}
	wide := v.T.Bits() == 64 || v.From.Bits() == 64
	return v.Mem != nil || v.Op.Has(isa.FlagCrossLane) || wide && v.R.Rows() != x.R.Rows()
}

// mergeSpans sorts spans and merges those that touch.
func mergeSpans(list []span) []span {
	sort.Slice(list, func(i, j int) bool { return list[i].from < list[j].from })
	out := list[:0]
	for _, s := range list {
		if n := len(out); n > 0 && s.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, s.to)
		} else {
			out = append(out, s)
		}
	}
	return out
}

func overlap(a, b []span) bool {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].to <= b[0].from:
			a = a[1:]
		case b[0].to <= a[0].from:
			b = b[1:]
		default:
			return true
		}
	}
	return false
}

// interferes reports whether two groups hold different values at one point, and whether they hold the same value at one
// point. The latter occurs after a copy to a phi on one edge out of a block, while the source is live on the other
// edge.
func (a *allocation) interferes(g, h *coalescedClass) (different, same bool) {
	x, y := g.spans, h.spans
	for len(x) > 0 && len(y) > 0 {
		if both := (span{max(x[0].from, y[0].from), min(x[0].to, y[0].to)}); both.from < both.to {
			if !a.sameValue(g, h, both) {
				return true, false
			}
			same = true
		}
		if x[0].to < y[0].to {
			x = x[1:]
		} else {
			y = y[1:]
		}
	}
	return false, same
}

// sameValue reports whether both groups hold the same value: one is a phi that a copy has just written, and the other
// its source or a phi written from the same source.
func (a *allocation) sameValue(g, h *coalescedClass, both span) bool {
	p, q := g.phiCopyIn(both), h.phiCopyIn(both)
	switch {
	case p != nil && q != nil:
		return p.src == q.src
	case p != nil:
		return a.groups[p.src] == h
	case q != nil:
		return a.groups[q.src] == g
	}
	return false
}

// phiCopyIn returns the copy whose points include a span; nil if there is none.
func (g *coalescedClass) phiCopyIn(s span) *phiCopy {
	i := sort.Search(len(g.phiCopies), func(i int) bool { return g.phiCopies[i].point > s.from }) - 1
	if i < 0 || s.to > g.phiCopies[i].point+3 {
		return nil
	}
	return &g.phiCopies[i]
}

// coalesce joins phis with their arguments where their spans allow. Copies on back edges come first: they cost a move
// in every iteration.
func (a *allocation) coalesce(fl *flow, lv *liveness, waveSize int) {
	for _, back := range []bool{true, false} {
		if !back {
			a.joinSums(fl, waveSize)
		}
		for i, b := range fl.Blocks {
			isBack := len(b.Succs) == 1 && fl.Position[b.Succs[0].ID] <= i
			if isBack != back {
				continue
			}
			for _, c := range lv.copies[b.ID] {
				if !literal(c.src) {
					a.join(c.phi.ID, c.src.ID)
				}
			}
		}
	}
}

// joinSums lets products of matrices add to their registers in place.
func (a *allocation) joinSums(fl *flow, waveSize int) {
	for _, b := range fl.Blocks {
		for _, p := range b.Code {
			if p.Op != isa.Proj || p.Args[0].Op != isa.MatrixMulAdd {
				continue
			}
			_, _, c := matrixArgs(p.Args[0], waveSize)
			if x := c[p.Imm]; !literal(x) && a.groups[x.ID] != nil && a.groups[p.ID] != nil {
				a.join(p.ID, x.ID)
			}
		}
	}
}

// join lets two values share a register, and all that share one with either.
func (a *allocation) join(x, y int) {
	g, h := a.groups[x], a.groups[y]
	if g == h || g.scalar != h.scalar || g.rows != h.rows {
		return
	}
	different, same := a.interferes(g, h)
	if different {
		return
	}
	regs := g.regs
	if len(g.members) < len(h.members) {
		g, h = h, g // so that a value moves to another group seldom
	}
	g.regs = regs
	if same {
		g.spans = mergeSpans(append(g.spans, h.spans...))
	} else {
		g.spans = merged(g.spans, h.spans)
	}
	if len(h.phiCopies) > 0 {
		g.phiCopies = append(g.phiCopies, h.phiCopies...)
		sort.SliceStable(g.phiCopies, func(i, j int) bool { return g.phiCopies[i].point < g.phiCopies[j].point })
	}
	for _, id := range append(h.members, h.id) {
		a.groups[id] = g
	}
	g.members = append(append(g.members, h.members...), h.id)
}

// merged joins two ordered lists that do not overlap.
func merged(a, b []span) []span {
	if len(a) < len(b) {
		a, b = b, a
	}
	for _, s := range b {
		a = inserted(a, s)
	}
	return a
}

// inserted inserts a span in place into an ordered list that it does not overlap.
func inserted(list []span, s span) []span {
	i := sort.Search(len(list), func(i int) bool { return list[i].from >= s.to })
	before, behind := i > 0 && list[i-1].to == s.from, i < len(list) && list[i].from == s.to
	switch {
	case before && behind:
		list[i-1].to = list[i].to
		return slices.Delete(list, i, i+1)
	case before:
		list[i-1].to = s.to
	case behind:
		list[i].from = s.from
	default:
		return slices.Insert(list, i, s)
	}
	return list
}

// assign gives each group the lowest register that is free over its spans.
func (a *allocation) assign() {
	rows, words := newFile(), newFile()
	for _, g := range a.byStart() {
		f, n := rows, g.rows
		if g.scalar {
			f, n = words, 1
		}
		g.reg = f.allocate(g.spans, n)
	}
	a.vectorRows, a.scalarWords = len(rows.spans), len(words.spans)
}

// byStart lists the groups once each, by their first point.
func (a *allocation) byStart() []*coalescedClass {
	seen := map[*coalescedClass]bool{}
	var list []*coalescedClass
	for _, g := range a.groups {
		if g != nil && len(g.spans) > 0 && !seen[g] {
			seen[g] = true
			list = append(list, g)
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].spans[0].from < list[j].spans[0].from })
	return list
}

// pressure returns how many registers of each file are live at the point of highest pressure. No allocation takes
// fewer.
func (a *allocation) pressure(points int) (rows, words int) {
	rows = a.maxPressure(points, func(g *coalescedClass) int {
		if g.scalar {
			return 0
		}
		return g.rows
	})
	words = a.maxPressure(points, func(g *coalescedClass) int {
		if g.scalar {
			return 1
		}
		return 0
	})
	return rows, words
}

// countScalars finds the largest number of 32-bit scalar registers that are
// live at one point.
func (a *allocation) countScalars(points int) {
	a.scalarRegs = a.maxPressure(points, func(g *coalescedClass) int {
		if g.scalar {
			return g.regs
		}
		return 0
	})
}

// lanes returns how many lanes of vector registers keep values at the point of highest pressure.
func (a *allocation) lanes() int {
	return a.maxPressure(a.points, func(g *coalescedClass) int { return g.lanes })
}

// maxPressure returns the largest sum of sizes over the groups that are live at one point.
func (a *allocation) maxPressure(points int, size func(g *coalescedClass) int) (most int) {
	delta := make([]int, points+1)
	for id, g := range a.groups {
		if g == nil || g.id != id { // a joined value counts with its group
			continue
		}
		n := size(g)
		for _, sp := range g.spans {
			delta[sp.from] += n
			delta[min(sp.to, points)] -= n
		}
	}
	live := 0
	for _, d := range delta {
		live += d
		most = max(most, live)
	}
	return most
}
