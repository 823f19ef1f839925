package isa

import (
	"math/rand/v2"
	"testing"
)

// benchmarkState returns a wave of 64 lanes with ordinary floats in every register.
func benchmarkState(exec uint64) *State {
	st := NewState(64, testRows, testWords)
	r := rand.New(rand.NewPCG(7, 8))
	for i := range st.V {
		st.V[i] = uint32(FloatBits(F32, r.Float64()*4+1))
	}
	for i := range st.S {
		st.S[i] = FloatBits(F32, r.Float64()*4+1)
	}
	st.Exec = exec
	return st
}

func BenchmarkLanes(b *testing.B) {
	full, half := ^uint64(0), uint64(0x5555555555555555)
	v := [4]Reg{V(2), V(4), V(6)}
	for _, c := range []struct {
		name string
		exec uint64
		in   Inst
	}{
		{"iadd.i32/vv", full, Inst{Op: IAdd, T: I32, Dst: V(8), Src: v}},
		{"iadd.i32/vs", full, Inst{Op: IAdd, T: I32, Dst: V(8), Src: [4]Reg{V(2), S(1)}}},
		{"iadd.i32/vv/half", half, Inst{Op: IAdd, T: I32, Dst: V(8), Src: v}},
		{"iadd.i32/vv/lane", 1 << 17, Inst{Op: IAdd, T: I32, Dst: V(8), Src: v}},
		{"fadd.f32/vv", full, Inst{Op: FAdd, T: F32, Dst: V(8), Src: v}},
		{"fmul.f32/vs", full, Inst{Op: FMul, T: F32, Dst: V(8), Src: [4]Reg{V(2), S(1)}}},
		{"fma.f32/vvv", full, Inst{Op: Fma, T: F32, Dst: V(6), Src: v}},
		{"fma.f32/vsv", full, Inst{Op: Fma, T: F32, Dst: V(6), Src: [4]Reg{V(2), S(1), V(4)}}},
		{"fmin.f32/vv", full, Inst{Op: FMin, T: F32, Dst: V(8), Src: v}},
		{"fdiv.f32/vv", full, Inst{Op: FDiv, T: F32, Dst: V(8), Src: v}},
		{"sqrt.f32/v", full, Inst{Op: Sqrt, T: F32, Dst: V(8), Src: v}},
		{"select.i32/mvv", full, Inst{Op: Select, T: I32, Dst: V(8), Src: [4]Reg{S(1), V(2), V(4)}}},
		{"mov.i32/s", full, Inst{Op: Mov, T: I32, Dst: V(8), Src: [4]Reg{S(1)}}},
		{"mov.i32/v", full, Inst{Op: Mov, T: I32, Dst: V(8), Src: v}},
		{"lshladd.i32/vsv", full, Inst{Op: LshlAdd, T: I32, Dst: V(8), Src: [4]Reg{V(2), Lit(2), V(4)}}},
		{"slt.i32/vs", full, Inst{Op: SLt, T: I32, Dst: S(6), Src: [4]Reg{V(2), S(1)}}},
		{"fordlt.f32/vv", full, Inst{Op: FOrdLt, T: F32, Dst: S(6), Src: v}},
		{"ftos.i32/v", full, Inst{Op: FToS, T: I32, From: F32, Dst: V(8), Src: v}},
		{"and.bool", full, Inst{Op: And, T: Bool, Dst: S(6), Src: [4]Reg{S(1), S(2)}}},
		{"iadd.i32/uniform", full, Inst{Op: IAdd, T: I32, Uniform: true, Dst: S(6), Src: [4]Reg{S(1), S(2)}}},
		{"iadd.i64/vv", full, Inst{Op: IAdd, T: I64, Dst: V(8), Src: v}},
		{"fma.f16/vvv", full, Inst{Op: Fma, T: F16, Dst: V(8), Src: v}},
		{"fma.f64/vvv", full, Inst{Op: Fma, T: F64, Dst: V(8), Src: v}},
		{"iadd.i8/vv", full, Inst{Op: IAdd, T: I8, Dst: V(8), Src: v}},
		{"udiv.i32/vv", full, Inst{Op: UDiv, T: I32, Dst: V(8), Src: v}},
		{"sin.f32/v", full, Inst{Op: Sin, T: F32, Dst: V(8), Src: v}},
		{"exp.f32/v", full, Inst{Op: Exp, T: F32, Dst: V(8), Src: v}},
		{"local_id_x", full, Inst{Op: LocalIDX, T: I32, Dst: V(8)}},
		{"ballot", full, Inst{Op: Ballot, T: I64, Uniform: true, Dst: S(6), Src: [4]Reg{S(1)}}},
		{"read_first_lane.i32", full, Inst{Op: ReadFirstLane, T: I32, Uniform: true, Dst: S(6), Src: v}},
		{"shuffle.i32", full, Inst{Op: Shuffle, T: I32, Dst: V(8), Src: v}},
		{"reduce.f32", full, Inst{Op: Reduce, T: F32, Imm: GroupImm(GroupFAdd, 0), Dst: V(8), Src: v}},
		{"inclusive_scan.i32", full, Inst{Op: InclusiveScan, T: I32, Imm: GroupImm(GroupIAdd, 0), Dst: V(8), Src: v}},
	} {
		b.Run(c.name, func(b *testing.B) {
			st, in := benchmarkState(c.exec), c.in
			Resolve(&in)
			b.ReportAllocs()
			for b.Loop() {
				in.Exec(st, &in)
			}
		})
	}
}

// BenchmarkFamilies has the families of assembly on whole waves. With GODEBUG=cpu.avx2=off they are the loops in Go, but for the product, whose loop in Go has a line of its own (docs/develop/speed.md).
func BenchmarkFamilies(b *testing.B) {
	row, word, mask := []Reg{V(2), V(4), V(6)}, []Reg{S(2), S(3), S(4)}, []Reg{S(2), S(3), S(4)}
	for _, c := range []struct {
		name string
		dst  Reg
		src  []Reg
		keys []loopKey
	}{
		{"rows/float", V(8), row, []loopKey{{FAdd, F32, Void}, {FSub, F32, Void}, {FMul, F32, Void}, {Fma, F32, Void}}},
		{"rows/integer", V(8), row, []loopKey{{IAdd, I32, Void}, {IMul, I32, Void}, {Xor, I32, Void}, {SMax, I32, Void}, {LshlAdd, I32, Void}, {IMad, I32, Void}}},
		{"rows/shift", V(8), row, []loopKey{{Shl, I32, Void}, {Shr, I32, Void}, {Sar, I32, Void}}},
		{"rows/root", V(8), row, []loopKey{{Rcp, F32, Void}, {Sqrt, F32, Void}, {Rsq, F32, Void}}},
		{"rows/test", S(6), row, []loopKey{{IEq, I32, Void}, {SLt, I32, Void}, {FOrdEq, F32, Void}, {FOrdLt, F32, Void}}},
		{"rows/select", V(8), []Reg{S(2), V(4), V(6)}, []loopKey{{Select, I32, Void}}},
		{"rows/fill", V(8), word, []loopKey{{Mov, I32, Void}}},
		{"trig", V(8), row, []loopKey{{Sin, F32, Void}, {Cos, F32, Void}}},
		{"scalars", S(6), word, []loopKey{{IAdd, I32, Void}, {Shl, I32, Void}, {IMul, I32, Void}, {SLt, I32, Void}}},
		{"masks", S(6), mask, []loopKey{{And, Bool, Void}, {Or, Bool, Void}, {Not, Bool, Void}}},
	} {
		b.Run(c.name, func(b *testing.B) { benchmarkList(b, familyOf(c.keys, c.dst, c.src), false) })
		if c.name != "trig" {
			b.Run("steps/"+c.name, func(b *testing.B) { benchmarkList(b, familyOf(c.keys, c.dst, c.src), true) })
		}
	}
	var sum [sumLen]float32
	var x, y [factorLen]float32
	b.Run("matrix", func(b *testing.B) {
		for b.Loop() {
			matrixProduct(&sum, &x, &y, 16)
		}
	})
	b.Run("matrix/go", func(b *testing.B) {
		for b.Loop() {
			matrixProductGo(&sum, &x, &y, 16)
		}
	})
}

// familyOf is each operation in turn, on the same registers, to twelve instructions.
func familyOf(keys []loopKey, dst Reg, src []Reg) (list []*Inst) {
	for n := range 12 {
		key := keys[n%len(keys)]
		in := &Inst{Op: key.op, T: key.t, From: key.from, Dst: dst, Uniform: dst.Kind == Scalar && src[0].Kind == Scalar && key.t != Bool}
		copy(in.Src[:NumSources(key.op)], src)
		Resolve(in)
		list = append(list, in)
	}
	return list
}

// benchmarkList carries instructions out, fused if that is wanted and can be.
func benchmarkList(b *testing.B, list []*Inst, fused bool) {
	st := benchmarkState(^uint64(0))
	st.V = append(st.V, make([]uint32, fuseWords)...)
	f := NewFuser(st.Lanes, testRows)
	for _, in := range list {
		if fused = fused && f.Add(in); !fused {
			break
		}
	}
	all := f.Build()
	copy(st.V[testRows*st.Lanes:], f.Tail())
	for b.Loop() {
		if fused {
			all(st, nil)
			continue
		}
		for _, in := range list {
			in.Exec(st, in)
		}
	}
}

func BenchmarkFmaRowGo(b *testing.B) {
	st := benchmarkState(^uint64(0))
	b.ReportAllocs()
	for b.Loop() {
		fmaRowGo(st.row(V(6), 0), st.row(V(2), 0), st.row(V(4), 0), st.row(V(5), 0))
	}
}

// fuseWords are as many words after the rows of a vector file as steps may need.
const fuseWords = 8*(fuseLiterals+fuseValues) + 64*fuseRows
