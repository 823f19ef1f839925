package isa

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A workgroup of 5 x 3 x 5 in waves of 32: the lanes of the third wave count on
// from 64.
func TestIdentityOfLanes(t *testing.T) {
	st := NewState(32, 8, 4)
	st.LocalSize, st.WaveInGroup, st.WavesInGroup = [3]uint32{5, 3, 5}, 2, 3
	st.Exec = 1<<11 - 1
	for i, c := range []struct {
		op   Op
		want func(n uint32) uint32
	}{
		{LaneID, func(n uint32) uint32 { return n - 64 }},
		{LocalIndex, func(n uint32) uint32 { return n }},
		{LocalIDX, func(n uint32) uint32 { return n % 5 }},
		{LocalIDY, func(n uint32) uint32 { return n % 15 / 5 }},
		{LocalIDZ, func(n uint32) uint32 { return n / 15 }},
	} {
		in := &Inst{Op: c.op, T: I32, Dst: V(i)}
		Resolve(in)
		in.Exec(st, in)
		for l := range uint32(32) {
			want := uint32(0) // inactive lanes are left alone
			if l < 11 {
				want = c.want(64 + l)
			}
			if got := st.row(V(i), 0)[l]; got != want {
				t.Errorf("%s of lane %d = %d, want %d", c.op, l, got, want)
			}
		}
	}
}

func TestIdentityOfWaves(t *testing.T) {
	st := NewState(64, 4, 4)
	st.Workgroup, st.NumWorkgroups = [3]uint32{1, 2, 3}, [3]uint32{4, 5, 6}
	st.WaveInGroup, st.WavesInGroup = 7, 8
	st.Now, st.ClockMask, st.Nanoseconds = 1<<20+9, 1<<20-1, 10<<32
	st.Push = []byte{0, 0, 0, 0, 9, 1}
	for i, want := range []uint64{1, 2, 3, 4, 5, 6, 7, 8, 0x109, 9, 10 << 32} {
		op := WorkgroupIDX + Op(i)
		uniform := &Inst{Op: op, T: ResultType(op, I32, Void), Uniform: true, Dst: S(1), Imm: 4} // the byte of a push constant
		lanes := &Inst{Op: op, T: uniform.T, Dst: V(2), Imm: 4}
		for _, in := range []*Inst{uniform, lanes} {
			Resolve(in)
			in.Exec(st, in)
		}
		if st.S[1] != want {
			t.Errorf("%s = %d, want %d", op, st.S[1], want)
		}
		if got := get(st, V(2), uniform.T, 63, false); got != want {
			t.Errorf("%s in lane 63 = %d, want %d", op, got, want)
		}
	}
}

func TestMasks(t *testing.T) {
	type words struct{ Exec, Dst uint64 }
	for _, c := range []struct {
		name        string
		in          Inst
		before, end words
		a           uint64 // s2
		aEnd        uint64
	}{
		{"zero", Inst{Op: MaskZero, T: I64, Dst: S(1)}, words{0xff, 0xabc}, words{0xff, 0}, 5, 5},
		{"split", Inst{Op: MaskSplit, T: I64, Dst: S(1), Src: [4]Reg{S(2)}}, words{0xff, 0x100}, words{0x0f, 0x1f0}, 0xf0f, 0xf0f},
		{"split, all true", Inst{Op: MaskSplit, T: I64, Dst: S(1), Src: [4]Reg{Lit(^uint64(0))}}, words{0xff, 0}, words{0xff, 0}, 0, 0},
		{"park", Inst{Op: MaskPark, T: I64, Dst: S(1)}, words{0xf0, 0x0f}, words{0, 0xff}, 0, 0},
		{"join", Inst{Op: MaskJoin, T: I64, Dst: S(2), Src: [4]Reg{S(2)}}, words{0x0f, 3}, words{0x1ff, 3}, 0x1f0, 0},
		{"kill", Inst{Op: MaskKill}, words{0x0f, 3}, words{0, 3}, 0, 0},
	} {
		st := NewState(32, 1, 4)
		st.Exec, st.S[1], st.S[2] = c.before.Exec, c.before.Dst, c.a
		Resolve(&c.in)
		c.in.Exec(st, &c.in)
		if got := (words{st.Exec, st.S[1]}); got != c.end || st.S[2] != c.aEnd {
			t.Errorf("%s: %#x, s2 = %#x; want %#x, %#x", c.name, got, st.S[2], c.end, c.aEnd)
		}
	}
}

func TestTakesBranch(t *testing.T) {
	st := NewState(32, 1, 2)
	st.S[1] = 1
	for _, c := range []struct {
		in   Inst
		exec uint64
		want bool
	}{
		{Inst{Op: Branch}, 0, true},
		{Inst{Op: BranchTrue, Src: [4]Reg{S(0)}}, 1, false},
		{Inst{Op: BranchTrue, Src: [4]Reg{S(1)}}, 1, true},
		{Inst{Op: BranchFalse, Src: [4]Reg{S(0)}}, 1, true},
		{Inst{Op: BranchFalse, Src: [4]Reg{Lit(1)}}, 1, false},
		{Inst{Op: BranchExecZ}, 0, true},
		{Inst{Op: BranchExecZ}, 4, false},
		{Inst{Op: BranchExecNZ}, 4, true},
		{Inst{Op: BranchExecNZ}, 0, false},
		{Inst{Op: MaskZero}, 1, false},
	} {
		st.Exec = c.exec
		if got := TakesBranch(st, &c.in); got != c.want {
			t.Errorf("%s with exec %#x: %v", Disasm(&c.in), c.exec, got)
		}
	}
}

// Operations that the machine executes have no Exec; all others have.
func TestResolve(t *testing.T) {
	for op := range NumOps {
		in := &Inst{Op: op, T: I32, From: I32, Dst: S(0)}
		Resolve(in)
		row := &Table[op]
		if computed := row.Meaning != nil || waveOps[op] != nil; computed != (in.Exec != nil) {
			t.Errorf("%s: Exec set: %v", op, in.Exec != nil)
		}
	}
	unused := &Inst{Op: Clock, T: I64, Uniform: true}
	Resolve(unused)
	st := NewState(32, 1, 1)
	st.Now = 5
	if unused.Exec(st, unused); st.S[0] != 0 {
		t.Error("a result without a destination was written")
	}
	kept := &Inst{Op: IAdd, T: I32, Class: ClassMessage}
	if Resolve(kept); kept.Class != ClassMessage {
		t.Error("Resolve changed a class that was set")
	}
}

func TestClassOf(t *testing.T) {
	buffer, lds, push := &Mem{Access: Access{Space: SpaceBuffer}}, &Mem{Access: Access{Space: SpaceLDS}}, &Mem{Access: Access{Space: SpaceBuffer}, Scalar: true}
	for _, c := range []struct {
		in   Inst
		want Class
	}{
		{Inst{Op: IAdd, T: I32}, ClassVALU32},
		{Inst{Op: IAdd, T: I64}, ClassInt64},
		{Inst{Op: IAdd, T: I32, Uniform: true}, ClassSALU},
		{Inst{Op: FAdd, T: F16}, ClassVALU32},
		{Inst{Op: FAdd, T: F32, Uniform: true}, ClassVALU32},
		{Inst{Op: FAdd, T: F64}, ClassF64Add},
		{Inst{Op: FMul, T: F64}, ClassF64Mul},
		{Inst{Op: Fma, T: F32}, ClassFMA32},
		{Inst{Op: Fma, T: F64}, ClassF64Mul},
		{Inst{Op: IMul, T: I32}, ClassIMul32},
		{Inst{Op: Sin, T: F32}, ClassTrans},
		{Inst{Op: Sqrt, T: F64}, ClassF64Trans},
		{Inst{Op: Shl, T: I64}, ClassShift64},
		{Inst{Op: And, T: Bool}, ClassSALU},
		{Inst{Op: SLt, T: I32}, ClassVALU32},
		{Inst{Op: FToS, T: I32, From: F32}, ClassCvt},
		{Inst{Op: UConvert, T: I32, From: I64}, ClassInt64},
		{Inst{Op: ReadFirstLane, T: I32, Uniform: true}, ClassReadLane},
		{Inst{Op: Shuffle, T: I32}, ClassLDSSwizzle},
		{Inst{Op: Reduce, T: I32}, ClassDPP},
		{Inst{Op: Clock, T: I64, Uniform: true}, ClassClock},
		{Inst{Op: BranchTrue}, ClassBranch},
		{Inst{Op: Load, Mem: buffer}, ClassVMEM},
		{Inst{Op: Load, Mem: push}, ClassSMEM},
		{Inst{Op: Store, Mem: buffer}, ClassVMEMStore},
		{Inst{Op: AtomicIAdd, Mem: buffer}, ClassVMEMAtomic},
		{Inst{Op: AtomicIAdd, Mem: lds}, ClassLDS},
		{Inst{Op: Barrier}, ClassBarrier},
		{Inst{Op: End}, ClassEnd},
	} {
		if got := ClassOf(&c.in); got != c.want {
			t.Errorf("%s: %s, want %s", Disasm(&c.in), got, c.want)
		}
	}
}

func TestSetDeps(t *testing.T) {
	for _, c := range []struct {
		in           Inst
		deps, writes []uint16
	}{
		{Inst{Op: Fma, T: F32, Dst: V(1), Src: [4]Reg{V(1), S(3), Lit(1)}}, []uint16{1, 103}, []uint16{1}},
		{Inst{Op: IAdd, T: I64, Dst: V(4), Src: [4]Reg{V(8), S(2)}}, []uint16{4, 5, 8, 9, 102}, []uint16{4, 5}},
		{Inst{Op: UConvert, T: I64, From: I32, Dst: V(4), Src: [4]Reg{V(8)}}, []uint16{4, 5, 8}, []uint16{4, 5}},
		{Inst{Op: Hi32, T: I32, Dst: V(4), Src: [4]Reg{V(8)}}, []uint16{4, 8, 9}, []uint16{4}},
		{Inst{Op: FOrdLt, T: F64, Dst: S(7), Src: [4]Reg{V(8), V(10)}}, []uint16{8, 9, 10, 11, 107}, []uint16{107}},
		{Inst{Op: Shuffle, T: F64, Dst: V(2), Src: [4]Reg{V(8), V(10)}}, []uint16{2, 3, 8, 9, 10}, []uint16{2, 3}},
		{Inst{Op: Load, T: F32, Mem: &Mem{Access: Access{Elem: F32, Count: 2}, Base: S(1), Index: V(3), Dsts: [4]Reg{V(5), V(6)}}},
			[]uint16{3, 5, 6, 101}, []uint16{5, 6}},
		{Inst{Op: Load, T: F64, Dst: V(5), Mem: &Mem{Access: Access{Space: SpaceFlat, Elem: F64, Count: 1}, Index: V(3), Dsts: [4]Reg{V(5)}}},
			[]uint16{3, 4, 5, 6}, []uint16{5, 6}},
		{Inst{Op: Store, T: I64, Mem: &Mem{Access: Access{Elem: I64, Count: 1}, BindingIndex: V(9), Index: V(3), Data: [4]Reg{V(1)}}},
			[]uint16{1, 2, 3, 9}, nil},
		{Inst{Op: ImageLoad, T: F32, Mem: &Mem{Access: Access{Space: SpaceImage, Elem: F32}, Coords: [4]Reg{V(1), V(2)}, Dsts: [4]Reg{V(5), V(6), V(7), V(8)}}},
			[]uint16{1, 2, 5, 6, 7, 8}, []uint16{5, 6, 7, 8}},
		{Inst{Op: MaskSplit, T: I64, Dst: S(1), Src: [4]Reg{S(2)}}, []uint16{101, 102}, []uint16{101}},
		{Inst{Op: Branch}, nil, nil},
	} {
		c.in.SetDeps(100)
		if d := cmp.Diff(c.deps, c.in.Deps); d != "" {
			t.Errorf("%s: deps: %s", Disasm(&c.in), d)
		}
		if d := cmp.Diff(c.writes, c.in.Writes); d != "" {
			t.Errorf("%s: writes: %s", Disasm(&c.in), d)
		}
	}
}

func TestDisasm(t *testing.T) {
	for _, c := range []struct {
		in   Inst
		want string
	}{
		{Inst{Op: Fma, T: F32, Dst: V(12), Src: [4]Reg{V(3), S(4), Lit(f32(1))}}, "v_fma.f32 v12, v3, s4, 1.0"},
		{Inst{Op: FMul, T: F16, Dst: V(1), Src: [4]Reg{V(3), Lit(0x3555)}}, "v_fmul.f16 v1, v3, 0.33325195"},
		{Inst{Op: FAdd, T: F64, Dst: V(2), Src: [4]Reg{V(4), Lit(f64(1e-300))}}, "v_fadd.f64 v[2:3], v[4:5], 1e-300"},
		{Inst{Op: IAdd, T: I32, Uniform: true, Dst: S(1), Src: [4]Reg{S(2), Lit(i32(-4))}}, "s_iadd.i32 s1, s2, -4"},
		{Inst{Op: And, T: I32, Dst: V(1), Src: [4]Reg{V(2), Lit(0xff00ff)}}, "v_and.i32 v1, v2, 0xff00ff"},
		{Inst{Op: SConvert, T: I32, From: I8, Dst: V(1), Src: [4]Reg{V(2)}}, "v_sconvert.i32.i8 v1, v2"},
		{Inst{Op: Select, T: F32, Dst: V(1), Src: [4]Reg{S(2), V(3), Lit(0)}}, "v_select.f32 v1, s2, v3, 0.0"},
		{Inst{Op: SLt, T: I32, Dst: S(5), Src: [4]Reg{V(2), Lit(10)}}, "v_slt.i32 s5, v2, 10"},
		{Inst{Op: Reduce, T: I32, Dst: V(1), Src: [4]Reg{V(2)}, Imm: GroupImm(GroupUMax, 16)}, "v_reduce.i32 v1, v2, umax, cluster(16)"},
		{Inst{Op: QuadSwap, T: I32, Dst: V(1), Src: [4]Reg{V(2)}, Imm: 2}, "v_quad_swap.i32 v1, v2, diagonal"},
		{Inst{Op: BranchExecZ, Target: 41}, "s_branch_execz 41"},
		{Inst{Op: BranchTrue, Src: [4]Reg{S(3)}, Target: 7}, "s_branch_true s3, 7"},
		{Inst{Op: MaskSplit, T: I64, Dst: S(1), Src: [4]Reg{S(2)}}, "s_mask_split.i64 s1, s2"},
		{Inst{Op: Barrier}, "s_barrier"},
		{Inst{Op: End}, "s_end"},
		{Inst{Op: Load, Mem: &Mem{Access: Access{Binding: 2, Elem: F32, Count: 4, Offset: 16}, Base: S(3), Index: V(5), Dsts: [4]Reg{V(8), V(9), V(10), V(11)}}},
			"buffer_load.f32x4 v[8:11], b2[s3 + v5 + 16]"},
		{Inst{Op: Load, Dst: S(1), Mem: &Mem{Access: Access{Elem: I32, Count: 1, Offset: 4}, Scalar: true, Dsts: [4]Reg{S(1)}}}, "s_buffer_load.i32 s1, b0[4]"},
		{Inst{Op: Store, Mem: &Mem{Access: Access{Space: SpaceLDS, Elem: F32, Count: 1}, Index: V(1), Data: [4]Reg{V(2)}}}, "lds_store.f32 [v1], v2"},
		{Inst{Op: Store, Mem: &Mem{Access: Access{Elem: F32, Count: 2}, Index: V(1), Data: [4]Reg{V(2), Lit(f32(0.5))}}}, "buffer_store.f32x2 b0[v1], v2, 0.5"},
		{Inst{Op: AtomicIAdd, Dst: V(4), Mem: &Mem{Access: Access{Elem: I32, Count: 1, Coherent: true, Dynamic: true}, BindingIndex: S(2), Index: V(1), Data: [4]Reg{V(2)}, Dsts: [4]Reg{V(4)}}},
			"buffer_atomic_iadd.i32 v4, b(s2)[v1], v2 coherent"},
		{Inst{Op: ImageStore, Mem: &Mem{Access: Access{Space: SpaceImage, Binding: 1, Elem: F32}, Coords: [4]Reg{V(1), V(2)}, Data: [4]Reg{V(4), V(5), V(6), V(7)}}},
			"image_store.f32 b1[v1, v2], v[4:7]"},
		{Inst{Op: Load, Mem: &Mem{Access: Access{Space: SpaceFlat, Elem: I64, Count: 1}, Base: S(1), Index: V(2), Dsts: [4]Reg{V(4)}}}, "flat_load.i64 v[4:5], [s1 + v[2:3]]"},
	} {
		if got := Disasm(&c.in); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// With Imm 1 each four consecutive lanes hold a square of x and y, every
// invocation appears once, and the index is that of the id.
func TestQuadsAreSquares(t *testing.T) {
	for _, size := range [][3]uint32{{8, 8, 1}, {2, 32, 1}, {64, 2, 2}, {4, 4, 4}, {6, 10, 1}} {
		st := NewState(32, 4, 1)
		st.LocalSize = size
		total := size[0] * size[1] * size[2]
		seen := map[uint32]bool{}
		for st.WaveInGroup = 0; st.WaveInGroup*32 < total; st.WaveInGroup++ {
			for i, op := range []Op{LocalIDX, LocalIDY, LocalIDZ, LocalIndex} {
				in := &Inst{Op: op, T: I32, Imm: 1, Dst: V(i)}
				Resolve(in)
				in.Exec(st, in)
			}
			for l := uint32(0); l < 32 && st.WaveInGroup*32+l < total; l++ {
				at := func(row, lane uint32) uint32 { return st.V[row*32+lane] }
				x, y, z, index := at(0, l), at(1, l), at(2, l), at(3, l)
				if index != z*size[0]*size[1]+y*size[0]+x || x >= size[0] || y >= size[1] || z >= size[2] {
					t.Fatalf("%v lane %d: id (%d, %d, %d), index %d", size, l, x, y, z, index)
				}
				q := l &^ 3
				if x != at(0, q)+l%2 || y != at(1, q)+l/2%2 || z != at(2, q) || at(0, q)%2 != 0 || at(1, q)%2 != 0 {
					t.Fatalf("%v lane %d: (%d, %d, %d) is not its place in the quad of (%d, %d, %d)", size, l, x, y, z, at(0, q), at(1, q), at(2, q))
				}
				seen[index] = true
			}
		}
		if len(seen) != int(total) {
			t.Errorf("%v: %d invocations of %d", size, len(seen), total)
		}
	}
}
