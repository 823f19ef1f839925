package isa

import "math/bits"

// NewState makes the registers of a wave: all lanes active, everything zero.
func NewState(lanes, vectorRows, scalarWords int) *State {
	st := &State{
		Lanes: lanes, Full: ^uint64(0) >> (64 - lanes),
		V: make([]uint32, vectorRows*lanes), S: make([]uint64, scalarWords),
		LocalSize: [3]uint32{1, 1, 1}, WavesInGroup: 1, ClockMask: ^uint64(0),
	}
	st.Exec = st.Full
	for i := range st.Tmp {
		st.Tmp[i] = make([]uint32, lanes)
	}
	return st
}

// Resolve sets how the instruction executes, from its operation, its types and the kinds of its operands, and its
// timing class unless it has one. Exec stays nil for operations that the machine executes: memory, barriers, branches,
// allocation, enqueue and finish of payloads, End, DebugPrint, Micro and Nop.
func Resolve(in *Inst) {
	in.Exec = execOf(in)
	if in.Second != nil {
		Resolve(in.Second)
		in.Exec = executePair(in.Exec, in.Second.Exec)
	}
	if in.Class == ClassNone {
		in.Class = ClassOf(in)
	}
}

func execOf(in *Inst) func(*State, *Inst) {
	if in.Mod.Any() && in.Dst.Kind != None {
		return resolveModified(in)
	}
	row := &Table[in.Op]
	if row.Meaning == nil && waveOps[in.Op] == nil {
		return nil
	}
	if in.Dst.Kind == None && row.Sig.Result != OfNothing && row.Flags&FlagControl == 0 && in.Mem == nil {
		return discard
	}
	if f := waveOps[in.Op]; f != nil {
		return f
	}
	if in.Uniform {
		return resolveUniform(in, row.Meaning)
	}
	if f := resolveMasks(in); f != nil {
		return f
	}
	if f := resolveLoop(in); f != nil {
		return f
	}
	return resolveGeneric(in, row.Meaning)
}

// executePair executes the halves of a pair.
func executePair(first, second func(*State, *Inst)) func(*State, *Inst) {
	return func(st *State, in *Inst) {
		first(st, in)
		second(st, in.Second)
	}
}

// discard executes an instruction whose result is not used.
func discard(*State, *Inst) {}

// A view reads one operand in any lane, in canonical form.
type view struct {
	lo, hi []uint32 // vector rows; hi only for 64-bit values
	word   uint64   // the scalar or literal; for Bool, a lane mask
	mask   bool
}

func (st *State) viewOf(r Reg, t Type) view {
	switch r.Kind {
	case Vector:
		v := view{lo: st.row(r, 0)}
		if t.Rows() == 2 {
			v.hi = st.row(r, 1)
		}
		return v
	case Scalar:
		return view{word: st.S[r.Index], mask: t == Bool}
	case Imm:
		return view{word: r.Val, mask: t == Bool}
	}
	return view{}
}

// row returns the i-th row of the vector register r.
func (st *State) row(r Reg, i int) []uint32 {
	at := (int(r.Index) + i) * st.Lanes
	return st.V[at : at+st.Lanes]
}

func (v *view) lane(lane int) uint64 {
	switch {
	case v.hi != nil:
		return uint64(v.lo[lane]) | uint64(v.hi[lane])<<32
	case v.lo != nil:
		return uint64(v.lo[lane])
	case v.mask:
		return v.word >> lane & 1
	}
	return v.word
}

// word returns the value of a scalar operand.
func (st *State) word(r Reg) uint64 {
	switch r.Kind {
	case Scalar:
		return st.S[r.Index]
	case Imm:
		return r.Val
	}
	return 0
}

// mask returns the lane mask of a Bool operand.
func (st *State) mask(r Reg) uint64 { return st.word(r) & st.Full }

// setMask writes the active lanes of a lane mask and keeps the others.
func (st *State) setMask(r Reg, m uint64) {
	st.S[r.Index] = st.S[r.Index]&^st.Exec | m&st.Exec
}

// A sink writes a result lane by lane. Bool results are collected in a mask and
// written when the instruction is done.
type sink struct {
	lo, hi []uint32
	mask   uint64
}

func (st *State) sinkFor(r Reg, t Type) sink {
	v := st.viewOf(r, t)
	return sink{lo: v.lo, hi: v.hi}
}

func (s *sink) set(lane int, x uint64) {
	switch {
	case s.lo == nil:
		s.mask |= x << lane
		return
	case s.hi != nil:
		s.hi[lane] = uint32(x >> 32)
	}
	s.lo[lane] = uint32(x)
}

func (s *sink) done(st *State, r Reg) {
	if s.lo == nil && r.Kind == Scalar {
		st.setMask(r, s.mask)
	}
}

// sourceTypes returns the types of the instruction's sources.
func (in *Inst) sourceTypes() (types [4]Type) {
	for i := range types {
		types[i] = SourceType(in.Op, i, in.T, in.From)
	}
	return types
}

// resolveGeneric calls the meaning for each active lane, or once when the
// sources are the same in all lanes.
func resolveGeneric(in *Inst, f Meaning) func(*State, *Inst) {
	types, result := in.sourceTypes(), ResultType(in.Op, in.T, in.From)
	narrow, masks := result.Rows() == 1, false
	for _, t := range types[:NumSources(in.Op)] {
		narrow = narrow && t.Rows() == 1
		masks = masks || t == Bool
	}
	switch {
	case !masks && in.scalarSources() == 1<<NumSources(in.Op)-1:
		return once(f)
	case narrow && NumSources(in.Op) <= 3:
		return eachNarrow(f, NumSources(in.Op))
	}
	return eachLane(f, types, result)
}

// once spreads one result over the lanes.
func once(f Meaning) func(*State, *Inst) {
	return func(st *State, in *Inst) {
		st.writeUniform(in, f(in.T, in.From, in.Imm,
			st.word(in.Src[0]), st.word(in.Src[1]), st.word(in.Src[2]), st.word(in.Src[3])))
	}
}

// eachNarrow handles sources and results of one row each.
func eachNarrow(f Meaning, sources int) func(*State, *Inst) {
	return func(st *State, in *Inst) {
		var rows [3][]uint32
		for k := range rows {
			rows[k] = st.broadcast(in.Src[min(k, sources-1)], k)
		}
		d := st.row(in.Dst, 0)
		a, b, c := rows[0][:len(d)], rows[1][:len(d)], rows[2][:len(d)]
		for l := range d {
			if st.Exec>>l&1 != 0 {
				d[l] = uint32(f(in.T, in.From, in.Imm, uint64(a[l]), uint64(b[l]), uint64(c[l]), 0))
			}
		}
	}
}

func eachLane(f Meaning, types [4]Type, result Type) func(*State, *Inst) {
	return func(st *State, in *Inst) {
		a, b := st.viewOf(in.Src[0], types[0]), st.viewOf(in.Src[1], types[1])
		c, d := st.viewOf(in.Src[2], types[2]), st.viewOf(in.Src[3], types[3])
		out := st.sinkFor(in.Dst, result)
		for rest := st.Exec; rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros64(rest)
			out.set(l, f(in.T, in.From, in.Imm, a.lane(l), b.lane(l), c.lane(l), d.lane(l)))
		}
		out.done(st, in.Dst)
	}
}

// resolveUniform calls the meaning once, on scalar words.
func resolveUniform(in *Inst, f Meaning) func(*State, *Inst) {
	if g := uniform32[in.Op]; g != nil && in.T == I32 {
		return twoWords(g, in.Src[0].Kind == Scalar, in.Src[1].Kind == Scalar)
	}
	return func(st *State, in *Inst) {
		st.S[in.Dst.Index] = f(in.T, in.From, in.Imm,
			st.word(in.Src[0]), st.word(in.Src[1]), st.word(in.Src[2]), st.word(in.Src[3]))
	}
}

// twoWords calls g on two words, each in a scalar register or a literal.
func twoWords(g func(a, b uint32) uint32, first, second bool) func(*State, *Inst) {
	switch {
	case first && second:
		return func(st *State, in *Inst) {
			st.S[in.Dst.Index] = uint64(g(uint32(st.S[in.Src[0].Index]), uint32(st.S[in.Src[1].Index])))
		}
	case first:
		return func(st *State, in *Inst) {
			st.S[in.Dst.Index] = uint64(g(uint32(st.S[in.Src[0].Index]), uint32(in.Src[1].Val)))
		}
	}
	return func(st *State, in *Inst) {
		st.S[in.Dst.Index] = uint64(g(uint32(st.word(in.Src[0])), uint32(st.word(in.Src[1]))))
	}
}

// uniform32 holds the operations on two 32-bit integers that programs frequently compute on the scalar unit.
var uniform32 = [NumOps]func(a, b uint32) uint32{
	IAdd: func(a, b uint32) uint32 { return a + b },
	ISub: func(a, b uint32) uint32 { return a - b },
	IMul: func(a, b uint32) uint32 { return a * b },
	And:  func(a, b uint32) uint32 { return a & b },
	Or:   func(a, b uint32) uint32 { return a | b },
	Shl:  func(a, b uint32) uint32 { return a << (b & 31) },
	Shr:  func(a, b uint32) uint32 { return a >> (b & 31) },
	IEq:  func(a, b uint32) uint32 { return uint32(truth(a == b)) },
	INe:  func(a, b uint32) uint32 { return uint32(truth(a != b)) },
	ULt:  func(a, b uint32) uint32 { return uint32(truth(a < b)) },
	SLt:  func(a, b uint32) uint32 { return uint32(truth(int32(a) < int32(b))) },
}

// maskOps holds the operations on Bool that are one word operation on lane masks.
var maskOps = [NumOps]func(a, b, c uint64) uint64{
	Mov:    func(a, _, _ uint64) uint64 { return a },
	And:    func(a, b, _ uint64) uint64 { return a & b },
	Or:     func(a, b, _ uint64) uint64 { return a | b },
	Xor:    func(a, b, _ uint64) uint64 { return a ^ b },
	Not:    func(a, _, _ uint64) uint64 { return ^a },
	IEq:    func(a, b, _ uint64) uint64 { return ^(a ^ b) },
	INe:    func(a, b, _ uint64) uint64 { return a ^ b },
	Select: func(a, b, c uint64) uint64 { return a&b | c&^a },
}

func resolveMasks(in *Inst) func(*State, *Inst) {
	f := maskOps[in.Op]
	if f == nil || in.T != Bool {
		return nil
	}
	return func(st *State, in *Inst) {
		st.setMask(in.Dst, f(st.word(in.Src[0]), st.word(in.Src[1]), st.word(in.Src[2])))
	}
}

// WriteMask is the execution mask of an access: helper lanes write no memory but
// their own scratch, and an atomic leaves their registers as they are.
func (s *State) WriteMask(in *Inst) uint64 {
	if s.Helpers&s.Exec != 0 && in.Op.Has(FlagWrites) && in.Mem.Space != SpaceScratch {
		return s.Exec &^ s.Helpers
	}
	return s.Exec
}
