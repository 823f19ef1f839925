package isa

import (
	"cmp"
	encoding "encoding/binary"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// fusible returns the operations that a Fuser takes.
func fusible() (keys []loopKey) {
	for _, table := range []any{kernelOf, testOf} {
		switch table := table.(type) {
		case map[loopKey]kernel:
			keys = slices.AppendSeq(keys, maps.Keys(table))
		case map[loopKey]testKernel:
			keys = slices.AppendSeq(keys, maps.Keys(table))
		}
	}
	keys = append(keys, loopKey{Select, I32, Void}, loopKey{Select, F32, Void}, loopKey{UConvert, I64, I32}, loopKey{SConvert, I64, I32}, loopKey{UConvert, I32, I64})
	keys = slices.AppendSeq(keys, maps.Keys(halvesOf))
	for op := range maskOf {
		keys = append(keys, loopKey{op, Bool, Void})
	}
	slices.SortFunc(keys, func(a, b loopKey) int {
		return cmp.Or(int(a.op)-int(b.op), int(a.t)-int(b.t), int(a.from)-int(b.from))
	})
	return keys
}

// someRowInst returns an operation on rows or scalars, some of which a Fuser can't take.
func someRowInst(r *rand.Rand, keys []loopKey) *Inst {
	key := keys[r.IntN(len(keys))]
	in := &Inst{Op: key.op, T: key.t, From: key.from, Dst: V(r.IntN(testRows))}
	_, word := wordOf[in.Op]
	_, long := longOf[key]
	in.Uniform = (long || word && in.T != Bool && (in.T == I32 || in.Op == Mov)) && r.IntN(3) == 0
	if in.Uniform || ResultType(in.Op, in.T, in.From) == Bool {
		in.Dst = S(r.IntN(testWords))
	}
	for k := range NumSources(in.Op) {
		t := SourceType(in.Op, k, in.T, in.From)
		switch n := r.IntN(4); {
		case n == 0 || t == Bool && n > 1 || in.Uniform && n > 1:
			in.Src[k] = S(r.IntN(testWords))
		case n == 1 && t == Bool:
			in.Src[k] = Lit([]uint64{0, ^uint64(0), 1 << 40}[r.IntN(3)])
		case n == 1 && r.IntN(2) == 0: // values that several instructions have
			in.Src[k] = Lit([]uint64{1, ^uint64(0), 5<<32 | 9}[r.IntN(3)] & t.Mask())
		case n == 1:
			in.Src[k] = Lit(someBits(r, t))
		default:
			in.Src[k] = V(r.IntN(testRows))
		}
	}
	if in.T == F32 && in.From == Void && in.Op != Select && !in.Uniform && r.IntN(4) == 0 {
		in.Mod, in.ModRow = Modifiers{Neg: uint8(r.IntN(8)), Abs: uint8(r.IntN(8)), Clamp: r.IntN(8) == 0 && in.Dst.Kind == Vector}, testRows
	}
	return in
}

// Fused instructions compute the same as the instructions in turn.
func TestFusedStepsAreTheirInstructions(t *testing.T) {
	if !wideRows {
		t.Skip("the processor has no AVX2")
	}
	r := rand.New(rand.NewPCG(21, 22))
	keys := fusible()
	taken := map[loopKey]bool{}
	for range 3000 {
		st := someState(r)
		for i := range st.V {
			st.V[i] = uint32(someBits(r, []Type{F32, I32}[i/st.Lanes%2]))
		}
		if r.IntN(3) > 0 {
			st.Exec = st.Full
		}
		st.V = append(st.V, make([]uint32, 3*st.Lanes+fuseWords)...)
		want, f := clone(st), NewFuser(st.Lanes, testRows+3)
		want.Tmp = NewState(st.Lanes, 1, 1).Tmp
		var list []func()
		for range 1 + r.IntN(30) {
			in := someRowInst(r, keys)
			if r.IntN(4) == 0 {
				in.Second = someRowInst(r, keys)
				if second := in.Second; second.Mod.Any() || slices.Contains(second.Src[:], in.Dst) || in.Dst == second.Dst {
					in.Second = nil
				}
			}
			Resolve(in)
			in.Exec(want, in)
			if f.Add(in) {
				taken[in.loopKey()] = true
				continue
			}
			if exec := f.Build(); exec != nil {
				list = append(list, func() { exec(st, nil) })
			}
			list = append(list, func() { in.Exec(st, in) })
		}
		if exec := f.Build(); exec != nil {
			list = append(list, func() { exec(st, nil) })
		}
		all, rows, tail := st.V, (testRows+3)*st.Lanes, f.Tail()
		copy(st.V[rows:], tail)
		end := rows + len(tail)
		st.V = st.V[:end]
		for _, do := range list {
			do()
		}
		if slices.ContainsFunc(all[end:], func(word uint32) bool { return word != 0 }) {
			t.Fatal("steps write behind their words after the rows")
		}
		if n := testRows * st.Lanes; !slices.Equal(st.V[:n], want.V[:n]) || !slices.Equal(st.S, want.S) {
			t.Fatalf("%d steps under %x differ from their instructions", len(list), st.Exec)
		}
	}
	if len(taken) != len(keys) {
		t.Errorf("taken were %d of %d operations", len(taken), len(keys))
	}
}

// A fused load gives all active lanes words of local memory at a scalar place; where they are outside, it is carried out as an
// instruction, after the one that gives it its index.
func TestFusedFills(t *testing.T) {
	if !wideRows {
		t.Skip("the processor has no AVX2")
	}
	local := Local{Bytes: make([]byte, 64)}
	for i := range local.Bytes {
		local.Bytes[i] = byte(7 * i)
	}
	for _, c := range []struct {
		base, index, exec uint64
		loads             int
	}{{4, 8, 1<<32 - 1, 0}, {4, 8, 0xff00ff, 0}, {40, 8, 1<<32 - 1, 0}, {41, 8, 1<<32 - 1, 1}, {41, 8, 0xf0f0, 1}, {1<<32 - 4, 4, 1<<32 - 1, 0}, {1<<32 - 12, 4, 1, 1}} {
		st := NewState(32, 6, 3)
		st.V, st.Local, st.Exec = append(st.V, make([]uint32, fuseWords)...), &local, c.exec
		for i := range st.V {
			st.V[i] = uint32(i)
		}
		st.S[0], st.S[1] = c.base, c.index
		m := &Mem{Access: Access{Space: SpaceLDS, Elem: I32, Count: 3, Offset: 4}, Base: S(0), Index: V(2)}
		m.Dsts = [4]Reg{V(1), V(2), V(3)}
		mov := &Inst{Op: Mov, T: I32, Dst: V(2), Src: [4]Reg{S(1)}}
		add := &Inst{Op: IAdd, T: I32, Dst: V(4), Src: [4]Reg{V(1), V(3)}}
		Resolve(mov)
		Resolve(add)
		want := slices.Clone(st.V[:6*32])
		for l := range 32 {
			if c.exec>>l&1 != 0 {
				for k := range 3 {
					if want[(1+k)*32+l] = 1000; c.loads == 0 {
						at := uint32(c.base+c.index) + 4 + 4*uint32(k)
						want[(1+k)*32+l] = encoding.LittleEndian.Uint32(local.Bytes[at:])
					}
				}
				want[4*32+l] = want[1*32+l] + want[3*32+l]
			}
		}
		loads := 0
		local.Load = func(st *State, in *Inst) {
			loads++
			for l := range 32 {
				if c.exec>>l&1 == 0 {
					continue
				}
				if st.V[2*32+l] != uint32(c.index) {
					t.Errorf("the index is %d", st.V[2*32+l])
				}
				st.V[1*32+l], st.V[2*32+l], st.V[3*32+l] = 1000, 1000, 1000
			}
		}
		f, run := NewCompiledProgram(32, 6, 1), CompiledRun{Counts: make([]Issued, 1), Budget: 1}
		f.AddEntry(0, 1)
		if !f.AddFill(Fill{In: &Inst{Op: Load, T: I32, Mem: m}, Index: S(1), LoadIndex: mov}) {
			t.Fatal("not taken")
		}
		f.Add(add)
		f.AddReturn(7, true)
		f.Done()
		if f.Start(st, &run, 0); f.Run(st, &run) != 7 {
			t.Fatal("left elsewhere")
		}
		if !slices.Equal(st.V[:6*32], want) || loads != c.loads {
			t.Errorf("%+v: %d loads, %d, want %d", c, loads, st.V[:6*32], want)
		}
	}
}

func TestFuserTakesNothingTwice(t *testing.T) {
	f := NewFuser(32, 4)
	if f.Build() != nil {
		t.Error("steps of no instructions")
	}
	in := &Inst{Op: IAdd, T: I32, Dst: V(0), Src: [4]Reg{V(1), S(0)}}
	if !wideRows {
		t.Skip("the processor has no AVX2")
	}
	for k := range fuseValues - 5 {
		in := &Inst{Op: IAdd, T: I32, Dst: V(0), Src: [4]Reg{V(1), S(k)}}
		if !f.Add(in) {
			t.Fatalf("value %d has no space", k)
		}
	}
	two := &Inst{Op: IMad, T: I32, Dst: V(0), Src: [4]Reg{V(1), S(100), S(101)}}
	if f.Add(two) {
		t.Error("there is space for more values than there is for")
	}
	if f.Build() == nil || f.Build() != nil {
		t.Error("what was taken is there again")
	}
	if !f.Add(in) || !f.Add(two) {
		t.Error("no space in an empty one")
	}
}

// Inverse roots of fused rows have the bits of rounded doubles, whatever they are of.
func TestFusedRoots(t *testing.T) {
	if !wideRows {
		t.Skip("the processor has no AVX2")
	}
	r := rand.New(rand.NewPCG(41, 42))
	in := &Inst{Op: Rsq, T: F32, Dst: V(1), Src: [4]Reg{V(0)}}
	Resolve(in)
	f := NewFuser(64, 2)
	f.Add(in)
	exec := f.Build()
	for range 50000 {
		st := NewState(64, 2, 0)
		st.V = append(st.V, make([]uint32, fuseWords)...)
		for l := range 64 {
			if st.V[l] = r.Uint32(); l%8 > 0 {
				st.V[l] = st.V[l]&^(1<<31) | 1<<24 // a root
			}
		}
		exec(st, nil)
		for l, x := range st.V[:64] {
			want := word32(float32(1 / math.Sqrt(float64(float(x)))))
			if got := st.V[64+l]; got != want && (float(got) == float(got) || float(want) == float(want)) {
				t.Fatalf("of %g (%#x): %#x, want %#x", float(x), x, got, want)
			}
		}
	}
}
