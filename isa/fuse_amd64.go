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
//
// Where lanes are idle, the rows that are written are put there before as well,
// and what the steps did to idle lanes is taken back: no lane sees another one.
type Fuser struct {
	lanes  int
	behind int // where the vector file ends, in bytes
	spread []rowStep
	saved  []rowStep // of each row that is written
	steps  []rowStep
	count  int // instructions
}

// NewFuser makes one for waves of so many lanes. The vector file of their states
// has FuseWords more than its rows.
func NewFuser(lanes, rows int) *Fuser { return &Fuser{lanes: lanes, behind: 4 * lanes * rows} }

// Add takes an instruction in, behind those before it; it is false where it can't.
func (f *Fuser) Add(in *Inst) bool {
	if !wideRows || f.lanes%32 != 0 {
		return false
	}
	spread, saved, steps := len(f.spread), len(f.saved), len(f.steps)
	for half := in; half != nil; half = half.Second {
		if !f.add(half) {
			f.spread, f.saved, f.steps = f.spread[:spread], f.saved[:saved], f.steps[:steps]
			return false
		}
	}
	f.count++
	return true
}

func (f *Fuser) add(in *Inst) bool {
	k, ok := kernelOf[in.loopKey()]
	n := NumSources(in.Op)
	if !ok || in.Uniform || in.Mod.Any() || in.Dst.Kind != Vector || len(f.spread)+n > fuseValues || len(f.saved) == fuseRows ||
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
	f.save(s.d)
	return true
}

// save has a row put behind the vector file, once.
func (f *Fuser) save(row int32) {
	for i := range f.saved {
		if f.saved[i].a == row {
			return
		}
	}
	at := f.behind + 32*fuseValues + 4*f.lanes*len(f.saved)
	f.saved = append(f.saved, rowStep{kernel: kernels[0], d: int32(at), a: row, stepA: 32})
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
	if f.count == 0 {
		return nil
	}
	need, saved, skip := f.behind/4+FuseWords, f.saved, len(f.saved)
	steps := append(append(f.saved, f.spread...), f.steps...)
	f.spread, f.saved, f.steps, f.count = nil, nil, nil, 0
	return func(st *State, _ *Inst) {
		v, list := st.V[:need], steps
		if st.Exec == st.Full {
			list = steps[skip:]
		}
		runSteps(&v[0], first(st.S), &list[0], len(list), st.Lanes)
		if st.Exec == st.Full {
			return
		}
		for i := range saved {
			mergeBits(&v[saved[i].a/4], &v[saved[i].d/4], st.Lanes, st.Full&^st.Exec)
		}
	}
}

// first is where scalar registers begin; a program may have none.
func first(s []uint64) *uint64 {
	if len(s) == 0 {
		return nil
	}
	return &s[0]
}
