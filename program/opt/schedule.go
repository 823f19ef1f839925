package opt

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// scheduleLoads reorders each block so that loads come as early as their operands and the registers allow: several are
// then in flight before the first result is needed. Values that depend on no load, such as loop counters, come next,
// while loads are in flight. All other values keep their order.
//
// Where buffers are descriptors, loads keep their order among each other, accesses to LDS do not move, and the limit of
// registers follows from the number that the source's order needs, as in Mesa's ACO (schedule_VMEM, schedule_program).
func scheduleLoads(f *ir.Func, o Options) bool {
	s := &scheduler{o: o, inOrder: !o.SelectBuffers, u: newUses(f), position: make([]int, f.NumValues()), remainingUses: make([]int, f.NumValues())}
	s.live, s.dies = liveThrough(f)
	if o.Registers.All > 0 && s.inOrder {
		s.o.MaxVectorRegs = o.Registers.limit(s.demand(f))
	}
	for _, b := range f.Blocks {
		s.block(b)
	}
	return true
}

type scheduler struct {
	o       Options
	inOrder bool // loads keep their order

	u            *uses
	live         []int       // rows of values that live into or across each block, by block id
	dies         []*ir.Block // by value id: the last block that uses it if that is in the value's loop; for a loop's phis, the last such block in the loop
	currentBlock *ir.Block

	position      []int // in the present segment, plus 1, by value id; 0: elsewhere
	remainingUses []int // uses in the segment that are still to come, by value id

	code     []*ir.Value // the segment
	out      []*ir.Value
	wait     []int              // operands and earlier accesses still to come, by place
	next     [][]int            // places that wait for this one
	ready    [numUrgencies]heap // by urgency
	cone     []bool             // by place: a load of the segment needs it
	waits    []bool             // by place: it needs a load of the segment
	lastLoad []int              // by place: the last load of the segment that it depends on
	serve    []int              // by place: the first load of the segment that needs it, itself if none
	rows     int

	sourceOrder pressure // of the segment in its own order
}

// Urgency of values that are ready.
const (
	isLoad      = iota // a load that waits for no other
	feedsLoad          // an operand of such a load
	independent        // depends on no load
	waitingLoad        // a load that depends on other loads, or an operand of one
	waiting            // all else that waits for loads
	numUrgencies
)

func rowsOf(v *ir.Value) int {
	if v.Uniform || literal(v) {
		return 0
	}
	return v.R.Rows()
}

// maxSegment bounds the values that are scheduled at once, as accesses are
// compared with each other.
const maxSegment = 1024

// block schedules the stretches between synchronisation.
func (s *scheduler) block(b *ir.Block) {
	s.countLiveIns(b)
	from := 0
	for from < len(b.Code) && literal(b.Code[from]) {
		from++
	}
	for i := from; i <= len(b.Code); i++ {
		switch {
		case i == len(b.Code), fence(b.Code[i]) && b.Code[i].Mem == nil:
			s.segment(b, b.Code[from:i])
			from = i + 1
		case i-from == maxSegment:
			s.segment(b, b.Code[from:i])
			from = i
		}
	}
}

// countLiveIns counts the uses of values that are live into a block.
func (s *scheduler) countLiveIns(b *ir.Block) {
	s.currentBlock, s.rows = b, s.live[b.ID]
	if !s.inOrder {
		return
	}
	for _, v := range b.Code {
		for _, a := range v.Args {
			if a.Block != b {
				s.remainingUses[a.ID] = 0
			}
		}
	}
	count := func(a *ir.Value) {
		if a.Block != b {
			s.remainingUses[a.ID]++
		}
	}
	for _, v := range b.Code {
		for _, a := range v.Args {
			count(a)
		}
	}
	for _, to := range b.Succs {
		for _, phi := range to.Phis {
			count(phi.Args[predOf(to, b)])
		}
	}
}

func (s *scheduler) segment(b *ir.Block, code []*ir.Value) {
	n := 0
	for _, v := range code {
		if s.loads(v) {
			n++
		}
	}
	if n < 1 || len(code) < 3 {
		return
	}
	s.prepare(code)
	s.keepPhis(b)
	for i := range code {
		if s.wait[i] == 0 {
			s.makeReady(i)
		}
	}
	for len(s.out) < len(code) {
		s.issue(s.pick())
	}
	copy(code, s.out)
	for _, v := range code {
		s.position[v.ID] = 0
	}
}

func (s *scheduler) prepare(code []*ir.Value) {
	n := len(code)
	s.code, s.out = code, s.out[:0]
	s.wait, s.next, s.cone, s.waits, s.serve = make([]int, n), make([][]int, n), make([]bool, n), make([]bool, n), make([]int, n)
	s.lastLoad = make([]int, n)
	for i, v := range code {
		s.position[v.ID] = i + 1
		s.remainingUses[v.ID] = s.u.count(v)
	}
	var accesses []int
	for i, v := range code {
		for _, a := range v.Args {
			if p := s.position[a.ID]; p > 0 {
				s.addEdge(p-1, i)
				s.addLoadDependency(i, p-1)
			}
		}
		if v.Mem == nil && !fence(v) {
			continue
		}
		for _, j := range accesses {
			if interferes(v, code[j]) {
				s.addEdge(j, i)
			}
		}
		if v.Mem != nil && !pure(v) {
			accesses = append(accesses, i)
		}
	}
	s.markCones()
	for u := range s.ready { // a segment before may leave values that came in their own order
		s.ready[u] = s.ready[u][:0]
	}
	if s.inOrder {
		s.simulateSourceOrder()
	}
}

// addLoadDependency notes that value i has value j as an operand.
func (s *scheduler) addLoadDependency(i, j int) {
	switch {
	case s.loads(s.code[j]):
		s.waits[i], s.lastLoad[i] = true, max(s.lastLoad[i], j)
	case s.waits[j]:
		s.waits[i], s.lastLoad[i] = true, max(s.lastLoad[i], s.lastLoad[j])
	}
}

// simulateSourceOrder works out the registers of the segment in its own order.
func (s *scheduler) simulateSourceOrder() {
	rows := s.rows
	s.sourceOrder.reset(len(s.code), rows)
	for i, v := range s.code {
		for _, a := range v.Args {
			s.used(a)
		}
		s.rows += rowsOf(v)
		s.sourceOrder.set(i, s.rows)
	}
	s.sourceOrder.build()
	s.rows = rows
	for _, v := range s.code {
		for _, a := range v.Args {
			if !s.livesOut(a) {
				s.remainingUses[a.ID]++
			}
		}
	}
}

// keepPhis keeps the next value of a loop's phi after the uses of the present one, so that one register serves both.
func (s *scheduler) keepPhis(b *ir.Block) {
	for _, to := range b.Succs {
		for _, phi := range to.Phis {
			next := s.position[phi.Args[predOf(to, b)].ID]
			for _, u := range s.u.users(phi) {
				if p := s.position[u.ID]; p > 0 && p < next {
					s.addEdge(p-1, next-1)
				}
			}
		}
	}
}

// loads reports whether v reads memory with a latency.
func (s *scheduler) loads(v *ir.Value) bool {
	return v.Op == isa.Load && !(s.inOrder && v.Mem.Space == isa.SpaceLDS) || readsImage(v)
}

func (s *scheduler) addEdge(first, then int) {
	s.next[first] = append(s.next[first], then)
	s.wait[then]++
}

func (s *scheduler) markCones() {
	for i := range s.serve {
		s.serve[i] = i
	}
	for i := len(s.code) - 1; i >= 0; i-- {
		v := s.code[i]
		if !s.cone[i] && !s.loads(v) {
			continue
		}
		for _, a := range v.Args {
			if p := s.position[a.ID]; p > 0 {
				if !s.cone[p-1] || s.serve[i] < s.serve[p-1] {
					s.serve[p-1] = s.serve[i]
				}
				s.cone[p-1] = true
			}
		}
	}
}

// makeReady makes a value ready. Where loads keep their order, operands of a load have the load's position, and users of
// loads are ordered by the last load that they depend on.
func (s *scheduler) makeReady(i int) {
	at, u := i, s.urgency(i)
	switch {
	case s.inOrder && u == waiting:
		at = s.lastLoad[i]
	case s.inOrder:
		at = s.serve[i]
	}
	s.ready[u].push(at<<placeBits | i)
}

// placeBits suffice for the places of a segment.
const placeBits = 16

func (s *scheduler) urgency(i int) int {
	switch {
	case s.waits[i] && !s.cone[i] && !s.loads(s.code[i]):
		return waiting
	case s.waits[i]:
		return waitingLoad
	case s.loads(s.code[i]), s.inOrder && s.cone[i]:
		return isLoad
	case s.cone[i]:
		return feedsLoad
	}
	return independent
}

// pick returns a load while registers suffice, otherwise the first ready value.
func (s *scheduler) pick() int {
	for u := range s.ready {
		s.dropIssued(&s.ready[u])
		if len(s.ready[u]) > 0 && s.fits(s.ready[u][0]&(1<<placeBits-1)) {
			return s.ready[u].pop() & (1<<placeBits - 1)
		}
	}
	if s.inOrder {
		return s.sourceOrder.next
	}
	first := -1
	for u := range s.ready {
		if len(s.ready[u]) > 0 && (first < 0 || s.ready[u][0] < s.ready[first][0]) {
			first = u
		}
	}
	return s.ready[first].pop() & (1<<placeBits - 1)
}

// dropIssued takes values from a heap's top that have come because they were the first in their own order.
func (s *scheduler) dropIssued(h *heap) {
	for s.inOrder && len(*h) > 0 && s.sourceOrder.issued[(*h)[0]&(1<<placeBits-1)] {
		h.pop()
	}
}

// fits reports whether registers suffice if a value is issued now. Where loads keep their order, the sum counts the
// registers that the values before it need in their own order, those of values issued early, and its own.
func (s *scheduler) fits(i int) bool {
	if !s.inOrder {
		return s.rows < s.o.MaxVectorRegs
	}
	from := s.sourceOrder.next
	if i <= from {
		return true
	}
	early := s.rows - s.sourceOrder.liveBefore(from)
	return s.sourceOrder.maxBetween(from, i)+early+s.resultRows(i) <= s.o.MaxVectorRegs
}

// resultRows returns the rows of a value, or those of all results of a load.
func (s *scheduler) resultRows(i int) int {
	v := s.code[i]
	if v.Op != isa.Load || v.R != isa.Void || v.Uniform {
		return rowsOf(v)
	}
	return int(v.Mem.Count) * v.Mem.Elem.Rows()
}

func (s *scheduler) issue(i int) {
	v := s.code[i]
	s.out = append(s.out, v)
	s.sourceOrder.issue(i)
	s.rows += rowsOf(v)
	for _, a := range v.Args {
		s.used(a)
	}
	for _, j := range s.next[i] {
		if s.wait[j]--; s.wait[j] > 0 {
			continue
		}
		if s.code[j].Op == isa.Proj { // names a result of the access
			s.issue(j)
		} else {
			s.makeReady(j)
		}
	}
}

// used ends a value of the segment with its last use, and where loads keep their order one of another block too.
func (s *scheduler) used(a *ir.Value) {
	if s.livesOut(a) {
		return
	}
	if s.remainingUses[a.ID]--; s.remainingUses[a.ID] == 0 {
		s.rows -= rowsOf(a)
	}
}

// livesOut reports whether a value from before the segment lives on after it.
func (s *scheduler) livesOut(a *ir.Value) bool {
	return s.position[a.ID] == 0 && !(s.inOrder && s.dies[a.ID] == s.currentBlock && a.Block != s.currentBlock)
}

// demand estimates the vector registers that the blocks need in their present order.
func (s *scheduler) demand(f *ir.Func) (most int) {
	for _, b := range f.Blocks {
		s.countLiveIns(b)
		most = max(most, s.rows)
		for i, v := range b.Code {
			s.position[v.ID], s.remainingUses[v.ID] = i+1, s.u.count(v)
		}
		for _, v := range b.Code {
			for _, a := range v.Args {
				s.used(a)
			}
			s.rows += rowsOf(v)
			most = max(most, s.rows)
		}
		for _, v := range b.Code {
			s.position[v.ID] = 0
		}
	}
	return most
}

// A RegisterFile describes the vector registers of a SIMD's lane, the granule of their allocation, and the maximum
// number of waves.
type RegisterFile struct{ All, Granule, Waves int }

// limit returns how many registers a wave may use after scheduling, given its demand before (ACO's schedule_program).
// The number of waves on a SIMD may fall to five for each acoFile registers of its file, or to six or seven if the
// demand is small, but no further. Two registers are left for moves.
func (r RegisterFile) limit(demand int) int {
	whole := (max(demand, 1) + r.Granule - 1) / r.Granule * r.Granule
	waves, factor := max(min(r.Waves, r.All/whole), 1), max(r.All/acoFile, 1)
	if waves > 5*factor {
		switch {
		case demand >= 29:
			waves = 5 * factor
		case demand >= 25:
			waves = 6 * factor
		default:
			waves = 7 * factor
		}
	}
	return r.All/waves/r.Granule*r.Granule - 2
}

// RegistersAtOccupancy returns how many registers a wave may use without reducing the number of waves that fit at the given demand,
// which is capped at waves.
func (r RegisterFile) RegistersAtOccupancy(demand, waves int) int {
	whole := (max(demand, 1) + r.Granule - 1) / r.Granule * r.Granule
	return r.All / max(min(r.Waves, r.All/whole, waves), 1) / r.Granule * r.Granule
}

// acoFile is the size of the register file to which ACO's numbers of waves refer.
const acoFile = 256

// liveThrough estimates, for each block, the vector registers of values from
// other blocks: a value lives from its block to its last use in the order of
// blocks, and through the loops on the way.
func liveThrough(f *ir.Func) (live []int, dies []*ir.Block) {
	g := newGraph(f)
	ends := make([]int, len(g.loops)) // by loop: the last place of it and of its enclosing loops
	for i, l := range g.loops {
		if l.parent >= 0 {
			ends[i] = ends[l.parent]
		}
		ends[i] = max(ends[i], l.end)
	}
	end := make([]int, len(g.Blocks)) // by place: last place of the loop around it, itself if none
	for i := range end {
		if end[i] = i; g.inLoop[i] >= 0 {
			end[i] = ends[g.inLoop[i]]
		}
	}
	last := make([]int, f.NumValues())
	dies, inside := make([]*ir.Block, f.NumValues()), make([]int, f.NumValues())
	use := func(v *ir.Value, p int) {
		last[v.ID] = max(last[v.ID], p)
		if p > inside[v.ID] && g.inLoop[p] == g.inLoop[g.Position[v.Block.ID]] {
			inside[v.ID], dies[v.ID] = p, g.Blocks[p]
		}
	}
	for p, b := range g.Blocks {
		for _, v := range b.Code {
			for _, a := range v.Args {
				use(a, g.lastPlace(end, a, p))
			}
		}
		for _, phi := range b.Phis {
			for k, a := range phi.Args {
				use(a, g.lastPlace(end, a, g.Position[b.Preds[k].ID]))
			}
		}
	}
	for _, b := range g.Blocks {
		for _, v := range slices.Concat(b.Phis, b.Code) {
			if inside[v.ID] < last[v.ID] && !g.isLoopPhi(v) {
				dies[v.ID] = nil
			}
		}
	}
	return g.sumRanges(f, last), dies
}

// isLoopPhi reports whether v is a phi of a loop. Its next value takes its register, even if it is used after the loop.
func (g *graph) isLoopPhi(v *ir.Value) bool {
	l := g.inLoop[g.Position[v.Block.ID]]
	return v.Op == isa.Phi && l >= 0 && g.loops[l].header == v.Block
}

// lastPlace returns the place up to which a use at place p keeps v alive: the end of the loop around p if v comes from
// outside of it.
func (g *graph) lastPlace(end []int, v *ir.Value, p int) int {
	if d := g.Position[v.Block.ID]; g.inLoop[d] != g.inLoop[p] {
		return end[p]
	}
	return p
}

func (g *graph) sumRanges(f *ir.Func, last []int) []int {
	delta := make([]int, len(g.Blocks)+1)
	for p, b := range g.Blocks {
		for _, vs := range [][]*ir.Value{b.Phis, b.Code} {
			for _, v := range vs {
				if last[v.ID] > p {
					delta[p+1] += rowsOf(v)
					delta[last[v.ID]+1] -= rowsOf(v)
				}
			}
		}
	}
	live := make([]int, f.NumBlocks())
	sum := 0
	for p, b := range g.Blocks {
		sum += delta[p]
		live[b.ID] = sum
		for _, phi := range b.Phis {
			live[b.ID] += rowsOf(phi)
		}
	}
	return live
}

// A heap holds places, the lowest first.
type heap []int

func (h *heap) push(x int) {
	*h = append(*h, x)
	s := *h
	for i := len(s) - 1; i > 0 && s[i] < s[(i-1)/2]; i = (i - 1) / 2 {
		s[i], s[(i-1)/2] = s[(i-1)/2], s[i]
	}
}

func (h *heap) pop() int {
	s := *h
	top := s[0]
	s[0] = s[len(s)-1]
	s = s[:len(s)-1]
	for i := 0; ; {
		c := 2*i + 1
		if c+1 < len(s) && s[c+1] < s[c] {
			c++
		}
		if c >= len(s) || s[i] <= s[c] {
			break
		}
		s[i], s[c] = s[c], s[i]
		i = c
	}
	*h = s
	return top
}
