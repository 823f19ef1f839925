package isa

import "testing"

// fakeTable has arrays of two payloads, far apart; only even indexes of odd
// outputs are valid.
type fakeTable struct{}

func (fakeTable) Elem(h uint64, i uint32) uint64      { return h<<32 | uint64(i)<<16 }
func (fakeTable) Length(h uint64) uint32              { return uint32(h) + 2 }
func (fakeTable) Valid(output int, index uint32) bool { return output%2 == 1 && index%2 == 0 }

func payloadState() *State {
	st := NewState(32, 8, 8)
	st.Payloads, st.PayloadIn, st.RemainingRecursion, st.ShaderIndex, st.MeshGroup = fakeTable{}, 1<<40, 3, 7, 9
	for l := range 32 {
		st.V[l] = uint32(l) // v0: the lane
	}
	return st
}

func TestPayloadAddresses(t *testing.T) {
	for _, c := range []struct {
		name string
		in   Inst
		exec uint64
		want func(l uint64) uint64
	}{
		{"uniform", Inst{Op: PayloadElem, T: I64, Uniform: true, Dst: S(1), Src: [4]Reg{S(0), Lit(2)}}, 1, func(uint64) uint64 { return 5<<32 | 2<<16 }},
		{"indexes differ", Inst{Op: PayloadElem, T: I64, Dst: V(2), Src: [4]Reg{S(0), V(0)}}, 0xf0f0, func(l uint64) uint64 { return 5<<32 | l<<16 }},
		{"arrays differ", Inst{Op: PayloadElem, T: I64, Dst: V(2), Src: [4]Reg{V(4), Lit(1)}}, 0xff, func(l uint64) uint64 { return l<<32 | 1<<16 }},
		{"over the source", Inst{Op: PayloadElem, T: I64, Dst: V(4), Src: [4]Reg{V(4), V(0)}}, 0xff, func(l uint64) uint64 { return l<<32 | l<<16 }},
		{"length", Inst{Op: PayloadLength, T: I32, Dst: V(2), Src: [4]Reg{V(4)}}, 0xff, func(l uint64) uint64 { return l + 2 }},
		{"one for all lanes", Inst{Op: PayloadLength, T: I32, Dst: V(2), Src: [4]Reg{S(0)}}, 0xff, func(uint64) uint64 { return 7 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			st := payloadState()
			st.Exec, st.S[0] = c.exec, 5
			for l := range 32 {
				st.V[4*32+l], st.V[5*32+l] = uint32(l), 0 // v[4:5]: the lane
			}
			before := clone(st)
			Resolve(&c.in)
			c.in.Exec(st, &c.in)
			ty := ResultType(c.in.Op, c.in.T, Void)
			for l := range 32 {
				want := get(before, c.in.Dst, ty, l, c.in.Uniform)
				if c.exec>>l&1 != 0 {
					want = c.want(uint64(l))
				}
				if got := get(st, c.in.Dst, ty, l, c.in.Uniform); (c.exec>>l&1 != 0 || !c.in.Uniform) && got != want {
					t.Errorf("lane %d: %#x, want %#x", l, got, want)
				}
			}
		})
	}
}

func TestPayloadValid(t *testing.T) {
	st := payloadState()
	st.Exec, st.S[1] = 0xff, 0xf00
	in := Inst{Op: PayloadValid, T: Bool, Dst: S(1), Src: [4]Reg{V(0)}, Imm: 1}
	Resolve(&in)
	in.Exec(st, &in)
	if st.S[1] != 0xf55 {
		t.Errorf("mask %#x, want 0xf55", st.S[1])
	}
	in = Inst{Op: PayloadValid, T: Bool, Uniform: true, Dst: S(2), Src: [4]Reg{Lit(4)}, Imm: 1}
	Resolve(&in)
	if in.Exec(st, &in); st.S[2] != 1 {
		t.Errorf("uniform result %d, want 1", st.S[2])
	}
}

func TestNodePresets(t *testing.T) {
	st := payloadState()
	for op, want := range map[Op]uint64{PayloadIn: 1 << 40, RemainingRecursion: 3, ShaderIndex: 7, MeshGroup: 9} {
		in := Inst{Op: op, T: ResultType(op, I64, Void), Uniform: true, Dst: S(3)}
		Resolve(&in)
		if in.Exec(st, &in); st.S[3] != want {
			t.Errorf("%s: %d, want %d", op, st.S[3], want)
		}
	}
}

// Outside of a graph a handle names nothing, and asking is no fault.
func TestPayloadsOutsideOfAGraph(t *testing.T) {
	st := NewState(32, 2, 2)
	for op, want := range map[Op]uint64{PayloadElem: noPayload, PayloadLength: 0, PayloadValid: 0} {
		in := Inst{Op: op, T: I64, Uniform: true, Dst: S(1), Src: [4]Reg{Lit(1), Lit(0)}}
		Resolve(&in)
		if in.Exec(st, &in); st.S[1] != want {
			t.Errorf("%s: %#x, want %#x", op, st.S[1], want)
		}
	}
}

// The machine carries these out even when the result is not used.
func TestAllocationsAreNotDiscarded(t *testing.T) {
	for _, op := range []Op{PayloadAlloc, PayloadAllocLane, PayloadEnqueue, PayloadFinish} {
		in := Inst{Op: op, T: I64}
		if Resolve(&in); in.Exec != nil || in.Class != ClassMessage {
			t.Errorf("%s: executed here or of class %s", op, in.Class)
		}
	}
}

func TestMachineReadsSourcesAndWritesResults(t *testing.T) {
	st := payloadState()
	st.S[0] = 11
	in := Inst{Op: PayloadAllocLane, T: I64, Dst: V(2), Src: [4]Reg{V(0), S(0)}}
	if a, b := st.Source(&in, 0, 4), st.Source(&in, 1, 4); a != 4 || b != 11 {
		t.Errorf("sources %d and %d, want 4 and 11", a, b)
	}
	st.SetLane(&in, 4, 1<<40|5)
	if got := get(st, V(2), I64, 4, false); got != 1<<40|5 {
		t.Errorf("lane 4: %#x", got)
	}
	finish := Inst{Op: PayloadFinish, T: I64, Dst: S(1)}
	st.Exec, st.S[1] = 0xf0, 0x3
	if st.SetResult(&finish, 1); st.S[1] != 0xf3 {
		t.Errorf("mask %#x, want 0xf3", st.S[1])
	}
	finish.Dst = Reg{}
	st.SetResult(&finish, 1) // unused: nothing happens
	in.Dst = Reg{}
	st.SetLane(&in, 0, 1)
}
