package isa

// kernels are where the code of steps begins.
var kernels [23]uintptr

// kernelOf is the place of an operation's kernel.
var kernelOf = map[loopKey]int{
	{Mov, I32, Void}: 0, {Mov, F32, Void}: 0,
	{FAdd, F32, Void}: 1, {FSub, F32, Void}: 2, {FMul, F32, Void}: 3,
	{IAdd, I32, Void}: 4, {ISub, I32, Void}: 5, {IMul, I32, Void}: 6,
	{And, I32, Void}: 7, {Or, I32, Void}: 8, {Xor, I32, Void}: 9,
	{UMin, I32, Void}: 10, {UMax, I32, Void}: 11, {SMin, I32, Void}: 12, {SMax, I32, Void}: 13,
	{Shl, I32, Void}: 14, {Shr, I32, Void}: 15, {Sar, I32, Void}: 16,
	{Fma, F32, Void}: 17, {IMad, I32, Void}: 18, {LshlAdd, I32, Void}: 19,
	{Sqrt, F32, Void}: 20, {Rcp, F32, Void}: 21, {Rsq, F32, Void}: 22,
}

// A rowStep is one operation on rows: offsets in bytes from the vector file, and
// how far it is from eight lanes of a source to the next. runSteps knows its fields.
type rowStep struct {
	kernel              uintptr
	d, a, b, c          int32
	stepA, stepB, stepC int32
	scalar              int32 // instead of a kernel: what spreads the scalar word, or the literal, a
}

const (
	fromScalar  = 1
	fromLiteral = 2
)

// runSteps carries out steps in turn.
//
//go:noescape
func runSteps(v *uint32, s *uint64, steps *rowStep, n, lanes int)

// A Fuser turns instructions that follow each other, and which nothing comes
// between, into one step: operations on whole rows, one after the other without
// a look around. Values that are the same in all lanes are put behind the vector file.
type Fuser struct {
	lanes  int
	behind int // where the vector file ends, in bytes
	spread []rowStep
	steps  []rowStep
	list   []*Inst
}

// NewFuser makes one for waves of so many lanes. The vector file of their states
// has FuseWords more than its rows.
func NewFuser(lanes, rows int) *Fuser { return &Fuser{lanes: lanes, behind: 4 * lanes * rows} }

// Add takes an instruction in, behind those before it; it is false where it can't.
func (f *Fuser) Add(in *Inst) bool {
	if !wideRows || f.lanes%32 != 0 {
		return false
	}
	spread, steps := len(f.spread), len(f.steps)
	for half := in; half != nil; half = half.Second {
		if !f.add(half) {
			f.spread, f.steps = f.spread[:spread], f.steps[:steps]
			return false
		}
	}
	f.list = append(f.list, in)
	return true
}

func (f *Fuser) add(in *Inst) bool {
	k, ok := kernelOf[in.loopKey()]
	n := NumSources(in.Op)
	if !ok || in.Uniform || in.Mod.Any() || in.Dst.Kind != Vector || len(f.spread)+n > FuseWords/8 ||
		in.Op != Mov && in.scalarSources() == 1<<n-1 {
		return false
	}
	s := rowStep{kernel: kernels[k], d: f.row(in.Dst)}
	to := [3]struct{ at, step *int32 }{{&s.a, &s.stepA}, {&s.b, &s.stepB}, {&s.c, &s.stepC}}
	for i := range n {
		if *to[i].at = f.source(in.Src[i]); in.Src[i].Kind == Vector {
			*to[i].step = 32
		}
	}
	f.steps = append(f.steps, s)
	return true
}

func (f *Fuser) row(r Reg) int32 { return int32(4 * f.lanes * int(r.Index)) }

// source is where the lanes of a source are.
func (f *Fuser) source(r Reg) int32 {
	s := rowStep{d: int32(f.behind + 32*len(f.spread))}
	switch r.Kind {
	case Vector:
		return f.row(r)
	case Scalar:
		s.scalar, s.a = fromScalar, int32(8*r.Index)
	default:
		s.scalar, s.a = fromLiteral, int32(uint32(r.Val))
	}
	for i := range f.spread {
		if f.spread[i].scalar == s.scalar && f.spread[i].a == s.a {
			return f.spread[i].d
		}
	}
	f.spread = append(f.spread, s)
	return s.d
}

// Take is what carries out all that were taken in since the last Take; nil if none were.
func (f *Fuser) Take() func(*State, *Inst) {
	if len(f.list) == 0 {
		return nil
	}
	list, steps, need := f.list, append(f.spread, f.steps...), f.behind/4+FuseWords
	f.spread, f.steps, f.list = nil, nil, nil
	return func(st *State, _ *Inst) {
		if st.Exec != st.Full {
			for _, in := range list {
				in.Exec(st, in)
			}
			return
		}
		_ = st.V[need-1]
		runSteps(&st.V[0], first(st.S), &steps[0], len(steps), st.Lanes)
	}
}

// first is where scalar registers begin; a program may have none.
func first(s []uint64) *uint64 {
	if len(s) == 0 {
		return nil
	}
	return &s[0]
}
