package opt

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// uniformAtomics sends an atomic whose lanes all have one address once for a wave: the operands are combined, one lane sends the
// result, and where the old value is used, each lane combines it with the operands of the lanes before it.
//
// Where buffers are descriptors, the conditions and the code are Mesa's (nir_opt_uniform_atomics, and ACO's emit_uniform_reduce
// and emit_uniform_scan): in memory, the LDS and images, and not where at most one lane arrives. Where they are pointers,
// LLVM's (AMDGPUAtomicOptimizer, strategy "iterative", its default): in memory and the LDS, with a loop over the lanes if their
// operands differ. Neither changes a shader whose workgroups are one invocation.
//
// Where buffers are descriptors, reductions and scans over the wave of what is the same in all lanes become, likewise, the
// value itself or a multiple of it (ACO: emit_uniform_reduce, emit_uniform_scan).
func uniformAtomics(f *ir.Func, o Options) bool {
	if f.Invocations() == 1 && f.Fragment == nil || !combines(f, o) {
		return false
	}
	a := &atomicSender{newExpander(f, o), newAnalysis(f, o, false), make([]atomicUse, f.NumValues())}
	a.lanes.anywhere = true
	a.lanes.run()
	if !a.choose() {
		return false
	}
	return a.run(a.expansion)
}

type atomicSender struct {
	*expander
	lanes *divergenceAnalysis // which values differ among lanes, whatever unit computes them
	sent  []atomicUse         // by value
}

// An atomicUse is what an atomic that is sent once needs.
type atomicUse struct {
	once     bool
	wanted   bool // its result is used
	varies   bool // its operand differs among lanes
	combiner combiner
}

// A combiner combines the operands of an atomic.
type combiner struct {
	op    isa.Op
	group isa.GroupOperator
}

var combiners = map[isa.Op]combiner{
	isa.AtomicIAdd: {isa.IAdd, isa.GroupIAdd}, isa.AtomicISub: {isa.IAdd, isa.GroupIAdd}, isa.AtomicIInc: {isa.IAdd, isa.GroupIAdd}, isa.AtomicIDec: {isa.IAdd, isa.GroupIAdd},
	isa.AtomicSMin: {isa.SMin, isa.GroupSMin}, isa.AtomicUMin: {isa.UMin, isa.GroupUMin}, isa.AtomicSMax: {isa.SMax, isa.GroupSMax}, isa.AtomicUMax: {isa.UMax, isa.GroupUMax},
	isa.AtomicAnd: {isa.And, isa.GroupAnd}, isa.AtomicOr: {isa.Or, isa.GroupOr}, isa.AtomicXor: {isa.Xor, isa.GroupXor},
	isa.AtomicFAdd: {isa.FAdd, isa.GroupFAdd}, isa.AtomicFMin: {isa.FMin, isa.GroupFMin}, isa.AtomicFMax: {isa.FMax, isa.GroupFMax},
}

// combines reports that the function has atomics, or reductions or scans, whose operands combine.
func combines(f *ir.Func, o Options) bool {
	any := false
	eachValue(f, func(v *ir.Value) {
		if v.Op.Has(isa.FlagAtomic) {
			_, ok := combiners[v.Op]
			any = any || ok
		}
		_, ok := overWave(f, v, o)
		any = any || ok
	})
	return any
}

// overWave returns how a reduction or scan over the wave combines, if ACO may count lanes in its place. Helpers of fragment
// shaders would have to be left out.
func overWave(f *ir.Func, v *ir.Value, o Options) (combiner, bool) {
	if v.Op != isa.Reduce && v.Op != isa.InclusiveScan && v.Op != isa.ExclusiveScan || o.SelectBuffers || f.Fragment != nil || v.R == isa.Bool {
		return combiner{}, false
	}
	group, cluster := isa.SplitGroupImm(v.Imm)
	for _, c := range combiners {
		sum := c.op == isa.IAdd || c.op == isa.Xor || c.op == isa.FAdd
		if c.group == group && (cluster == 0 || cluster >= o.WaveSize) && (!sum || v.R.Bits() == 32) {
			return c, true
		}
	}
	return combiner{}, false
}

// choose finds the atomics that are sent once.
func (a *atomicSender) choose() bool {
	any := false
	for _, b := range a.lanes.g.Blocks {
		for _, v := range b.Code {
			if c, ok := overWave(a.f, v, a.o); ok && !a.differ(v.Args[0]) {
				a.sent[v.ID] = atomicUse{once: true, combiner: c}
				any = true
			}
			c, ok := combiners[v.Op]
			if !ok || a.o.SelectBuffers && (v.Mem.Space == isa.SpaceImage || v.T.Bits() < 32) {
				continue
			}
			address, operand := splitArgs(v)
			if a.differ(address...) || !a.o.SelectBuffers && a.oneLane(b) {
				continue
			}
			a.sent[v.ID] = atomicUse{once: true, wanted: a.lanes.u.count(v) > 0, varies: operand != nil && a.differ(operand), combiner: c}
			any = true
		}
	}
	return any
}

func (a *atomicSender) differ(values ...*ir.Value) bool {
	return slices.ContainsFunc(values, func(v *ir.Value) bool { return a.lanes.isDiv[v.ID] })
}

// Directions in which the invocations of a wave differ. An equality with a uniform value leaves one in each direction that
// the other side consists of.
const (
	alongX = 1 << iota
	alongY
	alongZ
	alongLanes
)

// oneLane reports that at most one lane comes to a block, as Mesa knows it: of the branches around it, those on equalities
// leave one lane of the wave, or one invocation of the workgroup.
func (a *atomicSender) oneLane(b *ir.Block) bool {
	left := 0
	g := a.lanes.g
	for p := g.Position[b.ID]; p > 0; p = g.Idom[p] {
		if c := g.Blocks[g.Idom[p]]; c.Term == ir.Cond {
			for way, truth := range []bool{true, false} {
				// Mesa looks at the first sides only, and makes a second one the first where that is empty.
				if code, ok := g.guardedBy(c, way); ok && code.has(b) && (truth || empty(c, c.Succs[0])) {
					left |= a.selected(c.Cond, truth)
				}
			}
		}
	}
	needed := 0
	for i, n := range a.f.LocalSize {
		if n > 1 {
			needed |= alongX << i
		}
	}
	return left&alongLanes != 0 || a.f.Fragment == nil && left&needed == needed
}

func empty(c, side *ir.Block) bool {
	return side == c.Merge || len(side.Code) == 0 && side.Term != ir.Cond
}

// selected returns the directions in which a condition leaves one invocation.
func (a *atomicSender) selected(condition *ir.Value, truth bool) int {
	switch {
	case condition.Op == isa.Not:
		return a.selected(condition.Args[0], !truth)
	case condition.Op == isa.And && truth:
		return a.selected(condition.Args[0], true) | a.selected(condition.Args[1], true)
	case condition.Op == isa.Elect && truth:
		return alongLanes
	case condition.Op == isa.IEq && truth, condition.Op == isa.INe && !truth:
		x, y := condition.Args[0], condition.Args[1]
		switch {
		case !a.differ(x):
			return a.directions(y)
		case !a.differ(y):
			return a.directions(x)
		}
	}
	return 0
}

// directions returns those in which a value differs if it is a sum of indices of the invocation, scaled; otherwise none.
func (a *atomicSender) directions(v *ir.Value) int {
	switch v.Op {
	case isa.LaneID:
		return alongLanes
	case isa.LocalIndex:
		return alongX | alongY | alongZ
	case isa.LocalIDX:
		return alongX
	case isa.LocalIDY:
		return alongY
	case isa.LocalIDZ:
		return alongZ
	case isa.Shl:
		if a.differ(v.Args[1]) {
			return 0
		}
		return a.directions(v.Args[0])
	case isa.IAdd, isa.IMul:
		x, y := a.directions(v.Args[0]), a.directions(v.Args[1])
		if x == 0 && a.differ(v.Args[0]) || y == 0 && a.differ(v.Args[1]) {
			return 0
		}
		return x | y
	}
	return 0
}

func (a *atomicSender) expansion(v *ir.Value) (expand func(v *ir.Value) *ir.Value, branches bool) {
	if v.ID >= len(a.sent) || !a.sent[v.ID].once {
		return nil, false
	}
	if v.Mem == nil {
		return a.ofEqual, false
	}
	if a.f.Fragment == nil {
		return a.send, true
	}
	return a.sendFromFragment, true
}

// sendFromFragment leaves helpers out.
func (a *atomicSender) sendFromFragment(v *ir.Value) *ir.Value {
	covered := a.op(isa.Not, isa.Bool, a.op(isa.IsHelper, isa.Bool))
	return a.ifThen(covered, []*ir.Value{a.pool.undef(v.R)}, func() []*ir.Value { return []*ir.Value{a.send(v)} })[0]
}

func (a *atomicSender) send(v *ir.Value) *ir.Value {
	use := a.sent[v.ID]
	address, operand := a.sumOperand(v)
	s := &combination{atomicSender: a, atomicUse: use, operand: operand, active: a.op(isa.Ballot, isa.I64, a.constant(isa.Bool, 1))}
	s.combine()
	once := a.f.NewValue(v.Op, v.T, v.R, append(address, s.all)...)
	if v.Op == isa.AtomicISub || v.Op == isa.AtomicIInc || v.Op == isa.AtomicIDec {
		once.Op = isa.AtomicIAdd
	}
	once.Mem = v.Mem
	old := a.ifThen(s.first, []*ir.Value{a.pool.undef(v.R)}, func() []*ir.Value { return []*ir.Value{a.add(once)} })[0]
	if !use.wanted {
		return old
	}
	old = a.op(isa.ReadFirstLane, v.R, old)
	result := a.op(use.combiner.op, v.R, old, s.before())
	if v.R.IsFloat() { // no identity keeps all numbers
		result = a.op(isa.Select, v.R, s.first, old, result)
	}
	return result
}

// ofEqual computes a reduction or scan over the wave whose operand is the same in all lanes.
func (a *atomicSender) ofEqual(v *ir.Value) *ir.Value {
	s := &combination{atomicSender: a, atomicUse: a.sent[v.ID], operand: v.Args[0]}
	if s.counts() || v.Op == isa.ExclusiveScan {
		s.active = a.op(isa.Ballot, isa.I64, a.constant(isa.Bool, 1))
	}
	switch {
	case v.Op == isa.ExclusiveScan:
		if !s.counts() {
			s.first = a.op(isa.Elect, isa.Bool)
		}
		return s.before()
	case !s.counts():
		return s.operand
	case v.Op == isa.Reduce:
		return s.times(s.count())
	}
	return s.times(s.op(isa.IAdd, isa.I32, s.below(), s.constant(isa.I32, 1)))
}

// splitArgs returns the arguments of an atomic; it may have no operand.
func splitArgs(v *ir.Value) (address []*ir.Value, operand *ir.Value) {
	if v.Op == isa.AtomicIInc || v.Op == isa.AtomicIDec {
		return v.Args, nil
	}
	n := len(v.Args) - 1
	return v.Args[:n], v.Args[n]
}

// sumOperand returns the address of an atomic and its operand, a difference as a sum.
func (a *atomicSender) sumOperand(v *ir.Value) (address []*ir.Value, operand *ir.Value) {
	address, operand = splitArgs(v)
	switch v.Op {
	case isa.AtomicIInc:
		operand = a.constant(v.T, 1)
	case isa.AtomicIDec:
		operand = a.constant(v.T, v.T.Mask())
	case isa.AtomicISub:
		operand = a.op(isa.INeg, v.T, operand)
	}
	return slices.Clone(address), operand
}

// A combination is that of the operands of one atomic.
type combination struct {
	*atomicSender
	atomicUse
	operand, active *ir.Value // active is the mask of the lanes
	first           *ir.Value // true in the lane that sends
	all             *ir.Value // what it sends
	scan            *ir.Value // of the lanes before; nil: not computed yet
}

// combine computes what is sent.
func (s *combination) combine() {
	if s.o.SelectBuffers {
		s.first = s.op(isa.IEq, isa.I32, s.below(), s.constant(isa.I32, 0))
	} else {
		s.first = s.op(isa.Elect, isa.Bool)
	}
	switch {
	case s.varies && s.o.SelectBuffers:
		s.iterate()
	case s.varies && s.wanted:
		s.scan = s.amongLanes(isa.ExclusiveScan)
		s.all = s.op(isa.ReadLane, s.operand.R, s.op(s.combiner.op, s.operand.R, s.scan, s.operand), s.last())
	case s.reduced():
		s.all = s.amongLanes(isa.Reduce)
	case s.counts():
		s.all = s.times(s.count())
	default:
		s.all = s.operand
	}
}

// before returns the combined operands of the lanes before each lane.
func (s *combination) before() *ir.Value {
	switch {
	case s.scan != nil:
		return s.scan
	case s.reduced():
		return s.amongLanes(isa.ExclusiveScan)
	case s.counts():
		return s.times(s.below())
	}
	return s.op(isa.Select, s.operand.R, s.first, s.identity(), s.operand)
}

// counts reports that equal operands do not combine to one of them.
func (s *combination) counts() bool {
	return s.combiner.op == isa.IAdd || s.combiner.op == isa.Xor || s.combiner.op == isa.FAdd
}

// reduced reports that the machine's sequence among lanes combines the operands. ACO counts lanes for 32 bits only.
func (s *combination) reduced() bool {
	return s.varies || !s.o.SelectBuffers && s.counts() && s.operand.R.Bits() > 32
}

func (s *combination) amongLanes(op isa.Op) *ir.Value {
	v := s.op(op, s.operand.R, s.operand)
	v.Imm = isa.GroupImm(s.combiner.group, 0)
	return v
}

// count returns the number of active lanes, below that of those before each lane.
func (s *combination) count() *ir.Value { return s.ofMask(isa.BitCount) }

func (s *combination) below() *ir.Value {
	return s.op(isa.MaskedBitCount, isa.I32, s.active, s.constant(isa.I32, 0))
}

// last returns the number of the last active lane.
func (s *combination) last() *ir.Value { return s.ofMask(isa.FindUMsb) }

// ofMask applies a 64-bit operation to the mask of active lanes, whose low half is the whole mask of wave32.
func (s *combination) ofMask(op isa.Op) *ir.Value {
	if s.o.WaveSize == 32 {
		return s.op(op, isa.I32, s.half(isa.Lo32, s.active))
	}
	return s.half(isa.Lo32, s.op(op, isa.I64, s.active))
}

// times combines n of the operand.
func (s *combination) times(n *ir.Value) *ir.Value {
	t := s.operand.R
	if s.combiner.op == isa.FAdd {
		return s.op(isa.FMul, t, s.operand, s.from(isa.UToF, t, n))
	}
	if s.combiner.op == isa.Xor {
		n = s.op(isa.And, isa.I32, n, s.constant(isa.I32, 1))
	}
	if t == isa.I64 {
		n = s.from(isa.UConvert, t, n)
	}
	return s.op(isa.IMul, t, s.operand, n)
}

func (s *combination) identity() *ir.Value {
	t := s.operand.R
	if s.combiner.op == isa.FAdd {
		return s.constant(t, t.Mask()^t.Mask()>>1) // -0, to which 0 may be added
	}
	return s.constant(t, s.combiner.group.Identity(t))
}

// iterate combines one lane after the other, in a loop.
func (s *combination) iterate() {
	from, after := s.split()
	loop := s.newBlock(from)
	from.Merge, loop.Merge, loop.Continue = nil, after, loop
	from.SetSuccs(ir.Jump, nil, loop)
	s.b, s.out = loop, nil
	carried := func(start *ir.Value) *ir.Value {
		phi := s.f.NewValue(isa.Phi, start.R, start.R, start)
		phi.Block, phi.Origin = loop, s.source.Origin
		loop.Phis = append(loop.Phis, phi)
		return phi
	}
	lanes, sum := carried(s.active), carried(s.identity())
	place := s.op(isa.FindILsb, isa.I64, lanes)
	lane := s.half(isa.Lo32, place)
	x := s.op(isa.ReadLane, s.operand.R, s.operand, lane)
	if s.wanted {
		scan := carried(s.pool.undef(s.operand.R))
		s.scan = s.op(isa.WriteLane, s.operand.R, scan, sum, lane)
		scan.Args = append(scan.Args, s.scan)
	}
	s.all = s.op(s.combiner.op, s.operand.R, sum, x)
	rest := s.op(isa.Xor, isa.I64, lanes, s.op(isa.Shl, isa.I64, s.constant(isa.I64, 1), place))
	more := s.op(isa.INe, isa.I64, rest, s.constant(isa.I64, 0))
	lanes.Args, sum.Args = append(lanes.Args, rest), append(sum.Args, s.all)
	loop.Code = s.out
	loop.SetSuccs(ir.Cond, more, loop, after)
	s.b, s.out = after, nil
}
