package isa

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// someRowInst is an operation on rows, some of which a Fuser can't take.
func someRowInst(r *rand.Rand, keys []loopKey, st *State) *Inst {
	key := keys[r.IntN(len(keys))]
	in := &Inst{Op: key.op, T: key.t, Dst: V(r.IntN(testRows))}
	for k := range NumSources(in.Op) {
		switch r.IntN(4) {
		case 0:
			in.Src[k] = S(r.IntN(testWords))
		case 1:
			in.Src[k] = Lit(someBits(r, in.T))
		default:
			in.Src[k] = V(r.IntN(testRows))
		}
	}
	if in.T == F32 && r.IntN(12) == 0 {
		in.Mod.Neg, in.Spare = 1, testRows
	}
	return in
}

// What is fused computes what its instructions compute in turn.
func TestFusedStepsAreTheirInstructions(t *testing.T) {
	if !wideRows {
		t.Skip("the processor has no AVX2")
	}
	r := rand.New(rand.NewPCG(21, 22))
	keys := slices.SortedFunc(maps.Keys(kernelOf), func(a, b loopKey) int { return int(a.op)*64 + int(a.t) - int(b.op)*64 - int(b.t) })
	taken := map[loopKey]bool{}
	for range 3000 {
		st := someState(r)
		for i := range st.V {
			st.V[i] = uint32(someBits(r, []Type{F32, I32}[i/st.Lanes%2]))
		}
		if r.IntN(3) > 0 {
			st.Exec = st.Full
		}
		st.V = append(st.V, make([]uint32, 3*st.Lanes+FuseWords)...)
		want, f := clone(st), NewFuser(st.Lanes, testRows+3)
		want.Tmp = NewState(st.Lanes, 1, 1).Tmp
		var list []func()
		for range 1 + r.IntN(30) {
			in := someRowInst(r, keys, st)
			if r.IntN(4) == 0 {
				in.Second = someRowInst(r, keys, st)
				if second := in.Second; second.Mod.Any() || slices.Contains(second.Src[:], in.Dst) {
					in.Second = nil
				}
			}
			Resolve(in)
			in.Exec(want, in)
			if f.Add(in) {
				taken[in.loopKey()] = true
				continue
			}
			if exec := f.Take(); exec != nil {
				list = append(list, func() { exec(st, nil) })
			}
			list = append(list, func() { in.Exec(st, in) })
		}
		if exec := f.Take(); exec != nil {
			list = append(list, func() { exec(st, nil) })
		}
		for _, do := range list {
			do()
		}
		if n := testRows * st.Lanes; !slices.Equal(st.V[:n], want.V[:n]) || !slices.Equal(st.S, want.S) {
			t.Fatalf("%d steps under %x differ from their instructions", len(list), st.Exec)
		}
	}
	if len(taken) != len(keys) {
		t.Errorf("taken were %d of %d operations", len(taken), len(keys))
	}
}

func TestFuserTakesNothingTwice(t *testing.T) {
	f := NewFuser(32, 4)
	if f.Take() != nil {
		t.Error("steps of no instructions")
	}
	in := &Inst{Op: IAdd, T: I32, Dst: V(0), Src: [4]Reg{V(1), S(0)}}
	if !wideRows {
		t.Skip("the processor has no AVX2")
	}
	for k := range uint64(fuseValues - 1) {
		in := &Inst{Op: IAdd, T: I32, Dst: V(0), Src: [4]Reg{V(1), Lit(k)}}
		if !f.Add(in) {
			t.Fatalf("value %d has no room", k)
		}
	}
	two := &Inst{Op: IMad, T: I32, Dst: V(0), Src: [4]Reg{V(1), Lit(100), Lit(101)}}
	if f.Add(two) {
		t.Error("there is room for more values than there is for")
	}
	if f.Take() == nil || f.Take() != nil {
		t.Error("what was taken is there again")
	}
	if !f.Add(in) || !f.Add(two) {
		t.Error("no room in an empty one")
	}
}
