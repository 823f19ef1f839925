package isa

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// special are bits that make trouble in some type: zeros, ones, extremes,
// infinities, NaNs, subnormals, halfway cases.
var special = []uint64{
	0, 1, 2, 3, 7, 8, 31, 32, 33, 0x7f, 0x80, 0xff, 0x3c00, 0x3c01, 0x7bff, 0x7c00, 0x7e00, 0x8000, 0xfc00, 0x7fff, 0xffff,
	0x3f800000, 0x3f000000, 0x40200000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x80000000, 0x00000fff, 0x00800000, 0x7f7fffff, 0x4f800000, 0xcf000000,
	0x7fffffff, 0xffffffff, 1 << 32, 0x3ff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 1 << 63, ^uint64(0), 0x000fffffffffffff,
}

// someBits draws the bits of a value of type t: special ones, small integers,
// ordinary floats, any bits.
func someBits(r *rand.Rand, t Type) uint64 {
	switch r.IntN(4) {
	case 0:
		return special[r.IntN(len(special))] & t.Mask()
	case 1:
		if t.IsFloat() {
			return FloatBits(t, r.NormFloat64()*10)
		}
		return r.Uint64N(70) & t.Mask()
	case 2:
		if t.IsFloat() {
			return FloatBits(t, float64(r.IntN(41)-20)/2)
		}
	}
	return r.Uint64() & t.Mask()
}

// someMask draws an execution mask: full, empty, one lane, alternating, random.
func someMask(r *rand.Rand, lanes int) uint64 {
	m := [...]uint64{^uint64(0), ^uint64(0), 0, 1 << r.IntN(lanes), 0x5555555555555555, 0xaaaaaaaaaaaaaaaa, r.Uint64(), r.Uint64() & r.Uint64() & r.Uint64()}[r.IntN(8)]
	return m & (^uint64(0) >> (64 - lanes))
}

const (
	testRows  = 12
	testWords = 8
)

func someState(r *rand.Rand) *State {
	st := filledState(r, 32<<r.IntN(2))
	st.Exec = someMask(r, st.Lanes)
	return st
}

// filledState has random registers.
func filledState(r *rand.Rand, lanes int) *State {
	st := NewState(lanes, testRows, testWords)
	for i := range st.V {
		st.V[i] = r.Uint32()
	}
	for i := range st.S {
		st.S[i] = r.Uint64()
	}
	return st
}

// place puts random values of type t into the operand of the given kind, and
// returns it. Bool operands are masks unless uniform.
func place(r *rand.Rand, st *State, t Type, k int, kind RegKind, uniform bool) Reg {
	if t == Bool && kind == Vector {
		kind = Scalar
	}
	switch kind {
	case Vector:
		reg := V(2 * k)
		for l := range st.Lanes {
			x := someBits(r, t)
			st.V[2*k*st.Lanes+l] = uint32(x)
			if t.Bits() == 64 {
				st.V[(2*k+1)*st.Lanes+l] = uint32(x >> 32)
			}
		}
		return reg
	case Scalar:
		if st.S[k] = someBits(r, t); t == Bool && !uniform {
			st.S[k] = r.Uint64() & st.Full
		}
		return S(k)
	}
	if t == Bool && !uniform {
		return Lit(-r.Uint64N(2))
	}
	return Lit(someBits(r, t))
}

// get reads lane l of an operand: the test's own reading of the register file.
func get(st *State, reg Reg, t Type, l int, uniform bool) uint64 {
	switch {
	case reg.Kind == Vector && t.Bits() == 64:
		return uint64(st.V[int(reg.Index)*st.Lanes+l]) + uint64(st.V[int(reg.Index+1)*st.Lanes+l])*(1<<32)
	case reg.Kind == Vector:
		return uint64(st.V[int(reg.Index)*st.Lanes+l])
	case reg.Kind == None:
		return 0
	}
	x := reg.Val
	if reg.Kind == Scalar {
		x = st.S[reg.Index]
	}
	if t == Bool && !uniform {
		return x >> l % 2
	}
	return x
}

// put writes lane l of a result.
func put(st *State, reg Reg, t Type, l int, uniform bool, x uint64) {
	switch {
	case reg.Kind == Vector:
		st.V[int(reg.Index)*st.Lanes+l] = uint32(x)
		if t.Bits() == 64 {
			st.V[int(reg.Index+1)*st.Lanes+l] = uint32(x >> 32)
		}
	case t == Bool && !uniform:
		st.S[reg.Index] = st.S[reg.Index]&^(1<<l) | x<<l
	default:
		st.S[reg.Index] = x
	}
}

func clone(st *State) *State {
	c := *st
	c.V, c.S = append([]uint32(nil), st.V...), append([]uint64(nil), st.S...)
	return &c
}

// diff compares two states; NaNs of the result's type are alike.
func diff(got, want *State, in *Inst) error {
	result := ResultType(in.Op, in.T, in.From)
	same := func(a, b uint64) bool {
		if a == b || !result.IsFloat() {
			return a == b
		}
		x, y := FloatOf(result, a), FloatOf(result, b)
		return x != x && y != y
	}
	if got.Exec != want.Exec {
		return fmt.Errorf("exec %#x, want %#x", got.Exec, want.Exec)
	}
	for i := range got.S {
		if !same(got.S[i], want.S[i]) {
			return fmt.Errorf("s%d = %#x, want %#x", i, got.S[i], want.S[i])
		}
	}
	for l := range got.Lanes {
		for row := range testRows {
			if in.Dst == V(row) {
				if g, w := get(got, in.Dst, result, l, false), get(want, in.Dst, result, l, false); !same(g, w) {
					return fmt.Errorf("lane %d: v%d = %#x, want %#x", l, row, g, w)
				}
			} else if at := row*got.Lanes + l; got.V[at] != want.V[at] && in.Dst != V(row-1) {
				return fmt.Errorf("lane %d: v%d = %#x, want %#x", l, row, got.V[at], want.V[at])
			}
		}
	}
	return nil
}

// fromsOf returns the source types of a conversion to t.
func fromsOf(op Op, t Type) []Type {
	ints, floats := []Type{I8, I16, I32, I64}, []Type{F16, F32, F64}
	switch op {
	case UConvert, SConvert, UToF, SToF:
		return ints
	case FConvert, FToU, FToS:
		return floats
	}
	return []Type{Void}
}

// Each operation with a meaning, on each type, with operands of each kind under
// each sort of mask, does to each active lane what Eval does, and nothing else.
// The destination may be one of the sources, or overlap it.
func TestLanesFollowTheMeaning(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	kinds := []RegKind{Vector, Scalar, Imm}
	for op := range NumOps {
		for _, ty := range typesOf(op) {
			for _, from := range fromsOf(op, ty) {
				for range 60 {
					checkLanes(t, r, op, ty, from, kinds)
				}
			}
		}
	}
}

func checkLanes(t *testing.T, r *rand.Rand, op Op, ty, from Type, kinds []RegKind) {
	t.Helper()
	st := someState(r)
	in := &Inst{Op: op, T: ty, From: from}
	result := ResultType(op, ty, from)
	for k := range NumSources(op) {
		in.Src[k] = place(r, st, SourceType(op, k, ty, from), k, kinds[r.IntN(len(kinds))], false)
	}
	in.Dst = V(8)
	if result == Bool {
		in.Dst = S(6)
	}
	if k := r.IntN(4); in.Src[k].Kind == in.Dst.Kind && in.Src[k].Kind != None && SourceType(op, k, ty, from) == result {
		in.Dst = in.Src[k]
		if in.Dst.Kind == Vector && result.Rows() == 2 {
			in.Dst.Index += uint16(r.IntN(2)) // half over the source
		}
	}
	want := clone(st)
	for l := range st.Lanes {
		if st.Exec>>l&1 != 0 {
			put(want, in.Dst, result, l, false, evalLane(st, in, l))
		}
	}
	Resolve(in)
	in.Exec(st, in)
	if err := diff(st, want, in); err != nil {
		t.Fatalf("%s (%s, exec %#x): %v", Disasm(in), from, st.Exec, err)
	}
}

func evalLane(st *State, in *Inst, l int) uint64 {
	var args [4]uint64
	for k := range args {
		args[k] = get(st, in.Src[k], SourceType(in.Op, k, in.T, in.From), l, in.Uniform)
	}
	return Eval(in.Op, in.T, in.From, in.Imm, args[:]...)
}

func TestUniformInstructionsComputeOneWord(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for op := range NumOps {
		for _, ty := range typesOf(op) {
			for _, from := range fromsOf(op, ty) {
				for range 20 {
					checkUniform(t, r, op, ty, from)
				}
			}
		}
	}
}

func checkUniform(t *testing.T, r *rand.Rand, op Op, ty, from Type) {
	t.Helper()
	st := someState(r)
	in := &Inst{Op: op, T: ty, From: from, Uniform: true, Dst: S(6)}
	for k := range NumSources(op) {
		in.Src[k] = place(r, st, SourceType(op, k, ty, from), k, []RegKind{Scalar, Imm}[r.IntN(2)], true)
	}
	want := clone(st)
	put(want, in.Dst, ResultType(op, ty, from), 0, true, evalLane(st, in, 0))
	Resolve(in)
	in.Exec(st, in)
	if err := diff(st, want, in); err != nil {
		t.Fatalf("%s (%s): %v", Disasm(in), from, err)
	}
}

// The hot operations must really have loops: for both vector forms at least.
func TestHotOperationsHaveLoops(t *testing.T) {
	for _, op := range []Op{IAdd, ISub, IMul, And, Or, Xor, Not, Shl, Shr, Sar, UMin, UMax, SMin, SMax, IMad, LshlAdd, IAdd3, LshlOr, AddLshl, AndOr, Or3, Xor3, Mov, IEq, INe, ULt, ULe, SLt, SLe} {
		checkLoop(t, &Inst{Op: op, T: I32})
	}
	for _, op := range []Op{FAdd, FSub, FMul, FDiv, Fma, FMin, FMax, FNeg, FAbs, Sqrt, FOrdEq, FOrdNe, FOrdLt, FOrdLe, FUnordEq, FUnordNe, FUnordLt, FUnordLe} {
		checkLoop(t, &Inst{Op: op, T: F32})
	}
	checkLoop(t, &Inst{Op: UToF, T: F32, From: I32})
	checkLoop(t, &Inst{Op: SToF, T: F32, From: I32})
	checkLoop(t, &Inst{Op: FToU, T: I32, From: F32})
	checkLoop(t, &Inst{Op: FToS, T: I32, From: F32})
}

func checkLoop(t *testing.T, in *Inst) {
	t.Helper()
	n := NumSources(in.Op)
	for form := range 1<<n - 1 {
		for k := range n {
			in.Src[k] = V(k)
			if form>>k&1 != 0 {
				in.Src[k] = S(k)
			}
		}
		if resolveLoop(in) == nil {
			t.Errorf("%s: no loop", Disasm(in))
		}
	}
}

func TestStateBeginsWithAllLanes(t *testing.T) {
	for _, lanes := range []int{32, 64} {
		if st := NewState(lanes, 1, 1); bits.OnesCount64(st.Exec) != lanes || st.Exec != st.Full {
			t.Errorf("%d lanes: exec %#x, full %#x", lanes, st.Exec, st.Full)
		}
	}
}

func TestExecutionAllocatesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for op := range NumOps {
		for _, exec := range []uint64{^uint64(0), 0x5555} {
			in := &Inst{Op: op, T: I32, From: I32, Dst: V(8), Src: [4]Reg{V(0), S(1), V(4), Lit(3)}}
			switch {
			case op >= FAdd && op <= DivFixup || op >= FOrdEq && op <= FUnordLe || op == FConvert:
				in.T, in.From = F32, F32
			case op == FToU || op == FToS:
				in.From = F32
			case op == UToF || op == SToF:
				in.T = F32
			}
			if result := ResultType(op, in.T, in.From); result == Bool || result == I64 {
				in.Dst, in.Src[0] = S(6), S(2)
			}
			if op == MatrixMulAdd {
				continue // TestMatrixProductsAllocateNothing
			}
			Resolve(in)
			if in.Exec == nil || op.Has(FlagControl) {
				continue
			}
			st := someState(r)
			st.Exec = exec & st.Full
			if n := testing.AllocsPerRun(5, func() { in.Exec(st, in) }); n != 0 {
				t.Errorf("%s under %#x: %v allocations", Disasm(in), exec, n)
			}
		}
	}
}
