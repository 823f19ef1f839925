package isa

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A flowProgram is a list of instructions for a flow, which is left at nil.
type flowProgram struct {
	insts  []*Inst
	ends   []bool // at the instruction, it is not gone on with
	enters []bool
	counts []int32
}

func newFlowProgram(r *rand.Rand, keys []loopKey) *flowProgram {
	n := 4 + r.IntN(20)
	p := &flowProgram{make([]*Inst, n), make([]bool, n), make([]bool, n+1), make([]int32, n)}
	p.enters[0] = true
	for i := range n {
		in := &Inst{Target: int32(r.IntN(n))}
		p.counts[i] = r.Int32N(4)
		switch k := r.IntN(16); {
		case i == n-1:
			in, p.ends[i] = nil, true
		case k < 8:
			in = someRowInst(r, keys)
			Resolve(in)
		case k < 9:
			in, p.ends[i] = nil, r.IntN(2) == 0
		case k < 13:
			in.Op, in.Src[0], p.ends[i] = []Op{Branch, BranchTrue, BranchFalse, BranchExecZ, BranchExecNZ}[r.IntN(5)], S(r.IntN(testWords)), true
			if i > 0 && !p.ends[i-1] && r.IntN(2) == 0 { // the test of a loop
				less := &Inst{Op: ULt, T: I32, Uniform: true, Dst: in.Src[0], Src: [4]Reg{S(r.IntN(testWords)), S(r.IntN(testWords))}}
				for k := range r.IntN(3) {
					less.Src[k] = Lit(uint64(r.Uint32()))
				}
				Resolve(less)
				p.insts[i-1] = less
			}
		default:
			in.Op, p.ends[i] = []Op{MaskSplit, MaskSplit, MaskJoin, MaskJoin, MaskPark, MaskKill}[r.IntN(6)], true
			in.Dst, in.Src[0], in.Imm = S(r.IntN(testWords)), S(r.IntN(testWords)), uint64(r.IntN(2))
			if in.Op == MaskJoin {
				in.Dst = in.Src[0]
			}
			in.Exec = waveOps[in.Op]
		}
		if p.insts[i] = in; in != nil && in.Op >= Branch && p.ends[i] {
			p.enters[in.Target] = true
		}
		p.enters[i+1] = p.enters[i+1] || p.ends[i] || r.IntN(4) == 0
	}
	return p
}

// flow puts the program together.
func (p *flowProgram) flow(lanes int) *CompiledProgram {
	f := NewCompiledProgram(lanes, testRows+3, len(p.insts))
	for i, in := range p.insts {
		at := int32(i)
		if p.enters[i] {
			f.AddEntry(at, p.counts[i])
		}
		switch {
		case in == nil:
			f.AddReturn(at, p.ends[i])
		case !p.ends[i]:
			f.Add(in)
		case in.Op == Branch:
			f.Jump(in.Target)
		case in.Exec != nil:
			f.Mask(in, at+1)
		default:
			f.Branch(in, at+1)
		}
	}
	f.Done()
	return f
}

// Flows in assembly go where those in Go go, leave the same registers behind, and count the same.
func TestFlowsAreTheirSteps(t *testing.T) {
	if !wideRows {
		t.Skip("the processor has no AVX2")
	}
	r := rand.New(rand.NewPCG(71, 72))
	keys := fusible()
	spent, left := 0, 0
	for range 3000 {
		p := newFlowProgram(r, keys)
		st := someState(r)
		if r.IntN(2) == 0 {
			st.Exec = st.Full
		}
		for i := range st.S { // branches go both ways, and masks are of the wave's lanes
			if st.S[i] &= st.Full; r.IntN(3) == 0 {
				st.S[i] = 0
			}
		}
		st.V = append(st.V, make([]uint32, 3*st.Lanes)...)
		want := clone(st)
		want.Tmp = NewState(st.Lanes, 1, 1).Tmp
		got, plain := p.flow(st.Lanes), p.flow(1)
		st.V = append(st.V, got.Tail()...)
		counts := [2][]Issued{make([]Issued, len(p.insts)), make([]Issued, len(p.insts))}
		a, b := CompiledRun{Counts: counts[0], Budget: 100}, CompiledRun{Counts: counts[1], Budget: 100}
		got.Start(st, &a, 0)
		plain.Start(want, &b, 0)
		for {
			x, y := got.Run(st, &a), plain.walk(want, &b)
			n := testRows * st.Lanes
			if x != y || a.Budget != b.Budget || a.Executed != b.Executed || a.ResumeAt != b.ResumeAt || st.Exec != want.Exec || !slices.Equal(counts[0], counts[1]) ||
				!slices.Equal(st.S, want.S) || !slices.Equal(st.V[:n], want.V[:n]) {
				t.Fatalf("left with %d and %d at %d and %d, %d and %d more, %d and %d instructions, lanes %x and %x, %v and %v", x, y, a.ResumeAt, b.ResumeAt,
					a.Budget, b.Budget, a.Executed, b.Executed, st.Exec, want.Exec, counts[0], counts[1])
			}
			if x == OutOfBudget {
				spent++
				break
			}
			if left++; x == int32(len(p.insts)-1) {
				break
			}
			if p.ends[x] {
				got.Start(st, &a, x+1)
				plain.Start(want, &b, x+1)
			}
			a.Budget, b.Budget = a.Budget-1, b.Budget-1
		}
	}
	if spent < 100 || left < 1000 {
		t.Errorf("%d were spent, and left %d times", spent, left)
	}
}
