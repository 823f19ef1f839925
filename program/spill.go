package program

import (
	"cmp"
	"slices"
	"sort"

	"spvsim/isa"
	"spvsim/program/ir"
)

// Where a wave needs more registers than it may have, values are kept elsewhere: vector values in scratch memory,
// scalar values in lanes of a vector register. A kept value is stored once, where it is computed, and loaded before it
// is read. Values are chosen point by point (Belady; Braun and Hack for the order of loops): where registers are short,
// the value whose next read is farthest.

// A spiller takes values of one file out of registers.
type spiller struct {
	f          *ir.Func
	fl         *flow
	lv         *liveness
	pre        []*ir.Value
	kind       spillTarget
	limit      int
	values     []*ir.Value // by id
	definedAt  []int       // by value id: the point of its definition
	uses       [][]int     // by value id: the points of its reads, ascending
	start      []int       // by place: the block's first point; a block has a point for each value of its code, and one for its end
	spilled    []bool      // by value id: it is spilled
	loops      []backEdge
	projs      map[*ir.Value][]*ir.Value
	live       []bool // by value id: at the present point
	last       []int  // by value id: the block's last point that reads it
	spilledAny bool   // something is spilled
	rows       int    // registers of live values that are not kept, at the present point
}

// A spillTarget saves the values of a register file elsewhere.
type spillTarget interface {
	// size returns how many registers a value takes; 0: it is not in this file.
	size(v *ir.Value) int
	// canSpill reports whether the value can be kept.
	canSpill(v *ir.Value) bool
	// prepare prepares for the chosen values, before any is saved.
	prepare(s *spiller)
	// save returns the code that saves a value after its definition, load the value that restores it.
	save(v *ir.Value) []*ir.Value
	load(v *ir.Value) *ir.Value
	// phis replaces the kept phis of a block, after all other values.
	phis(b *ir.Block, kept func(v *ir.Value) bool)
}

// spill keeps values elsewhere until a file needs no more than limit registers. It reports whether it found any.
func spill(f *ir.Func, fl *flow, pre []*ir.Value, lv *liveness, kind spillTarget, limit int) bool {
	n := f.NumValues()
	s := &spiller{f: f, fl: fl, lv: lv, pre: pre, kind: kind, limit: limit, values: make([]*ir.Value, n), definedAt: make([]int, n), uses: make([][]int, n),
		spilled: make([]bool, n), live: make([]bool, n), last: make([]int, n), projs: findResults(f)}
	s.loops, _ = fl.loops()
	s.number()
	for i, b := range fl.Blocks {
		s.walk(i, b, s.choose(i))
	}
	if !s.spilledAny {
		return false
	}
	kind.prepare(s)
	for i, b := range fl.Blocks {
		s.rewrite(i, b)
	}
	for _, b := range fl.Blocks {
		kind.phis(b, s.isSpilled)
	}
	return true
}

// number assigns points to values.
func (s *spiller) number() {
	s.start = make([]int, len(s.fl.Blocks)+1)
	for _, v := range s.pre {
		s.values[v.ID], s.definedAt[v.ID] = v, -1
	}
	for i, b := range s.fl.Blocks {
		for _, phi := range b.Phis {
			s.values[phi.ID], s.definedAt[phi.ID] = phi, s.start[i]-1
		}
		for k, v := range b.Code {
			s.values[v.ID], s.definedAt[v.ID] = v, s.start[i]+k
			for _, a := range v.Args {
				s.read(a, s.start[i]+k)
			}
		}
		end := s.start[i] + len(b.Code)
		for _, v := range readAtEnd(b) {
			s.read(v, end)
		}
		s.start[i+1] = end + 1
	}
}

func (s *spiller) read(v *ir.Value, at int) {
	if !literal(v) {
		s.uses[v.ID] = append(s.uses[v.ID], at)
	}
}

func (s *spiller) size(v *ir.Value) int {
	if literal(v) || v.R == isa.Void {
		return 0
	}
	return s.kind.size(v)
}

// A moment is an instruction, or the start of a block.
type moment struct {
	point   int
	v       *ir.Value   // nil at the start of a block
	results []*ir.Value // its results
	// operands counts registers of spilled operands, held those of them that no result may take, defined registers of
	// its results, freed those that its other operands free.
	operands, held, defined, freed int
}

// extraRegisters returns how many registers an instruction takes in addition to those of the values that live on.
func (st *moment) extraRegisters() int {
	return st.held + max(st.operands-st.held, st.defined-st.freed)
}

// walk visits the instructions of a block, with the values that are live before each.
func (s *spiller) walk(i int, b *ir.Block, visit func(st *moment)) {
	clear(s.live)
	s.rows = 0
	s.lv.in[b.ID].visit(func(id int) { s.addLive(s.values[id]) })
	for _, phi := range b.Phis {
		s.addLive(phi)
	}
	s.findLast(i, b)
	visit(&moment{point: s.start[i] - 1})
	for k, v := range b.Code {
		if v.Op == isa.Proj {
			continue
		}
		st, args := s.step(v, b, s.start[i]+k), slices.Clone(v.Args)
		visit(st)
		for _, a := range args {
			if s.isLastRead(a, b, st.point) {
				s.dropLive(a)
			}
		}
		for _, r := range st.results {
			s.addLive(r)
		}
	}
}

func (s *spiller) step(v *ir.Value, b *ir.Block, at int) *moment {
	st := &moment{point: at, v: v}
	if literal(v) {
		return st
	}
	if s.size(v) > 0 {
		st.results = append(st.results, v)
	}
	for _, p := range s.projs[v] {
		if s.size(p) > 0 {
			st.results = append(st.results, p)
		}
	}
	for _, r := range st.results {
		st.defined += s.size(r)
	}
	for k, a := range v.Args {
		switch {
		case slices.Contains(v.Args[:k], a) || s.size(a) == 0:
		case s.spilled[a.ID]:
			st.operands += s.size(a)
			if keepsSource(v, a) {
				st.held += s.size(a)
			}
		case s.isLastRead(a, b, at) && !keepsSource(v, a):
			st.freed += s.size(a)
		}
	}
	return st
}

func (s *spiller) addLive(v *ir.Value) {
	if v != nil && s.size(v) > 0 && len(s.uses[v.ID]) > 0 && !s.live[v.ID] {
		s.live[v.ID] = true
		if !s.spilled[v.ID] {
			s.rows += s.size(v)
		}
	}
}

func (s *spiller) dropLive(v *ir.Value) {
	if s.live[v.ID] && !s.spilled[v.ID] {
		s.rows -= s.size(v)
	}
	s.live[v.ID] = false
}

func (s *spiller) findLast(i int, b *ir.Block) {
	for k, v := range b.Code {
		for _, a := range v.Args {
			s.last[a.ID] = s.start[i] + k
		}
	}
	end := s.start[i] + len(b.Code)
	for _, v := range readAtEnd(b) {
		s.last[v.ID] = end
	}
}

// readAtEnd returns the values that a block's branch and the phis after it read.
func readAtEnd(b *ir.Block) (list []*ir.Value) {
	if b.Cond != nil {
		list = append(list, b.Cond)
	}
	for _, to := range b.Succs {
		for _, phi := range to.Phis {
			list = append(list, phi.Args[predIndex(to, b)])
		}
	}
	return list
}

// isLastRead reports that a value is read last at a point of the block.
func (s *spiller) isLastRead(v *ir.Value, b *ir.Block, at int) bool {
	return s.size(v) > 0 && s.last[v.ID] == at && !s.lv.out[b.ID].has(v.ID)
}

// choose returns the visitor that keeps values while registers are short: those whose next read is farthest.
func (s *spiller) choose(i int) func(st *moment) {
	var far *heap[farRead]
	around := s.enclosingLoops(i)
	return func(st *moment) {
		if far != nil && st.v != nil {
			for _, v := range slices.Concat(st.results, st.v.Args) {
				if s.size(v) > 0 {
					far.push(farRead{s.nextRead(v, st.point, around), v})
				}
			}
		}
		if s.rows+st.extraRegisters() <= s.limit {
			return
		}
		if far == nil {
			far = &heap[farRead]{less: func(a, b farRead) bool { return a.point > b.point || a.point == b.point && a.v.ID < b.v.ID }}
			for id, live := range s.live {
				if live {
					far.push(farRead{s.nextRead(s.values[id], st.point, around), s.values[id]})
				}
			}
		}
		s.keepFarthest(far, st, around)
	}
}

// A farRead is the point at which a value is read next.
type farRead struct {
	point int
	v     *ir.Value
}

func (s *spiller) keepFarthest(far *heap[farRead], st *moment, around []backEdge) {
	var later []farRead // values that can be kept only after this moment
	for s.rows+st.extraRegisters() > s.limit && len(far.list) > 0 {
		x := far.pop()
		switch at := s.nextRead(x.v, st.point, around); {
		case s.spilled[x.v.ID] || !s.kind.canSpill(x.v):
		case slices.Contains(st.results, x.v), st.v != nil && slices.Contains(st.v.Args, x.v):
			later = append(later, x)
		case !s.live[x.v.ID]:
		case at != x.point:
			far.push(farRead{at, x.v})
		default:
			s.spilled[x.v.ID], s.spilledAny = true, true
			s.rows -= s.size(x.v)
		}
	}
	for _, x := range later {
		far.push(x)
	}
}

// enclosingLoops returns the loops around a place, the innermost first, as points.
func (s *spiller) enclosingLoops(i int) (list []backEdge) {
	for k := len(s.loops) - 1; k >= 0; k-- {
		if l := s.loops[k]; l.head <= i && i <= l.latch {
			list = append(list, backEdge{s.start[l.head], s.start[l.latch+1]})
		}
	}
	return list
}

// farAway is the added distance of a read for each loop that is left before it.
const farAway = 1 << 32

// nextRead returns the point of a value's next read after a point: later in the loop, in the next iteration, or after
// the loop.
func (s *spiller) nextRead(v *ir.Value, at int, around []backEdge) int {
	uses := s.uses[v.ID]
	next := sort.SearchInts(uses, at+1)
	left := 0
	for _, l := range around {
		if next < len(uses) && uses[next] < l.latch {
			break
		}
		if first := sort.SearchInts(uses, l.head); first < len(uses) && uses[first] <= at && s.definedAt[v.ID] < l.head {
			return l.latch + uses[first] - l.head + left
		}
		left += farAway
	}
	if next == len(uses) {
		return left + farAway
	}
	return uses[next] + left
}

// A rewriting is the state of a block while it is rewritten. A kept value that was loaded stays in its register while
// registers suffice.
type rewriting struct {
	s     *spiller
	b     *ir.Block
	out   []*ir.Value
	now   map[*ir.Value]*ir.Value // the loaded value, by the kept one
	order []*ir.Value             // the keys, oldest first
	end   int
}

func (s *spiller) rewrite(i int, b *ir.Block) {
	w := &rewriting{s: s, b: b, now: map[*ir.Value]*ir.Value{}, end: s.start[i] + len(b.Code)}
	s.walk(i, b, func(st *moment) {
		if st.v == nil {
			w.savePreset(i)
			return
		}
		w.step(st)
	})
	if b.Cond != nil && s.isSpilled(b.Cond) {
		b.Cond = w.reload(b.Cond)
	}
	for _, to := range b.Succs {
		at := predIndex(to, b)
		for _, phi := range to.Phis {
			if a := phi.Args[at]; s.isSpilled(a) && !s.isSpilled(phi) {
				phi.Args[at] = w.reload(a)
			}
		}
	}
	b.Code = w.out
}

func (s *spiller) isSpilled(v *ir.Value) bool { return v.ID < len(s.spilled) && s.spilled[v.ID] }

// savePreset saves the kept values that a wave has from its start.
func (w *rewriting) savePreset(i int) {
	if i > 0 {
		return
	}
	for _, v := range w.s.pre {
		if w.s.isSpilled(v) {
			w.add(w.s.kind.save(v)...)
		}
	}
}

func (w *rewriting) add(list ...*ir.Value) {
	for _, v := range list {
		v.Block = w.b
	}
	w.out = append(w.out, list...)
}

// reload returns the value in a register, loaded if it is not.
func (w *rewriting) reload(v *ir.Value) *ir.Value {
	if x := w.now[v]; x != nil {
		return x
	}
	x := w.s.kind.load(v)
	w.add(x)
	w.have(v, x)
	return x
}

func (w *rewriting) have(v, x *ir.Value) {
	w.now[v] = x
	w.order = append(w.order, v)
}

func (w *rewriting) step(st *moment) {
	w.drop(st)
	for k, a := range st.v.Args {
		if w.s.isSpilled(a) {
			st.v.Args[k] = w.reload(a)
		}
	}
	w.add(st.v)
	w.add(w.s.projs[st.v]...)
	for _, r := range st.results {
		if w.s.isSpilled(r) {
			w.add(w.s.kind.save(r)...)
			w.have(r, r)
		}
	}
}

// drop forgets loaded values that the block reads no more and, while registers are short, those whose next read is
// farthest.
func (w *rewriting) drop(st *moment) {
	if len(w.order) == 0 {
		return
	}
	slices.SortStableFunc(w.order, func(a, b *ir.Value) int { return cmp.Compare(w.next(a, st.point-1), w.next(b, st.point-1)) })
	free := w.s.limit - w.s.rows - st.extraRegisters()
	w.order = slices.DeleteFunc(w.order, func(v *ir.Value) bool {
		next := w.next(v, st.point-1)
		if next > st.point {
			free -= w.s.size(v)
		}
		gone := next > w.end || next > st.point && free < 0
		if gone {
			delete(w.now, v)
		}
		return gone
	})
}

// next returns the point of the block's next read of a value, or a point after its end.
func (w *rewriting) next(v *ir.Value, at int) int {
	uses := w.s.uses[v.ID]
	if k := sort.SearchInts(uses, at+1); k < len(uses) {
		return uses[k]
	}
	return w.end + 1
}
