package program

import (
	"context"
	"math/bits"
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

type bitset []uint64

func newBitset(n int) bitset    { return make(bitset, (n+63)/64) }
func (s bitset) has(i int) bool { return s[i>>6]>>(i&63)&1 != 0 }
func (s bitset) add(i int)      { s[i>>6] |= 1 << (i & 63) }
func (s bitset) remove(i int)   { s[i>>6] &^= 1 << (i & 63) }

// visit calls do with each member, ascending.
func (s bitset) visit(do func(i int)) {
	for w, word := range s {
		for ; word != 0; word &= word - 1 {
			do(w*64 + bits.TrailingZeros64(word))
		}
	}
}

func (s bitset) addMasked(t, m bitset) {
	for i := range s {
		s[i] |= t[i] & m[i]
	}
}

func (s bitset) union(t bitset) {
	for i := range s {
		s[i] |= t[i]
	}
}

// liveness holds the values live at the start and at the end of each block, by block id. A phi is a variable that the
// ends of its predecessors write.
//
// A lane's vector registers are its own: lanes that wait elsewhere keep theirs,
// since writes are masked. So a vector value lives along the control flow of
// one lane. A scalar register belongs to the wave: what waiting lanes will need
// has to survive whatever block the wave walks through meanwhile, hence the
// extra edge from each block to the next in order.
type liveness struct {
	in, out []bitset
	copies  [][]copyTo
}

// inScalar reports that a value lives in the scalar file: uniform values and
// lane masks.
func inScalar(v *ir.Value) bool { return v.Uniform || v.R == isa.Bool }

func newLiveness(ctx context.Context, f *ir.Func, fl *flow, pre []*ir.Value, copies [][]copyTo) *liveness {
	n := f.NumValues()
	lv := &liveness{in: make([]bitset, f.NumBlocks()), out: make([]bitset, f.NumBlocks()), copies: copies}
	scalar := newBitset(n)
	note := func(list []*ir.Value) {
		for _, v := range list {
			if inScalar(v) {
				scalar.add(v.ID)
			}
		}
	}
	note(pre)
	for _, b := range fl.Blocks {
		lv.in[b.ID], lv.out[b.ID] = newBitset(n), newBitset(n)
		note(b.Phis)
		note(b.Code)
	}
	lv.solve(ctx, fl, scalar)
	return lv
}

func (lv *liveness) solve(ctx context.Context, fl *flow, scalar bitset) {
	in := append(bitset(nil), scalar...)
	for changed := true; changed && ctx.Err() == nil; {
		changed = false
		for i := len(fl.Blocks) - 1; i >= 0; i-- {
			b := fl.Blocks[i]
			out := lv.out[b.ID]
			for _, s := range b.Succs {
				out.union(lv.in[s.ID])
			}
			if i+1 < len(fl.Blocks) {
				out.addMasked(lv.in[fl.Blocks[i+1].ID], scalar)
			}
			copy(in, out)
			lv.walk(b, in.remove, in.add)
			if !slices.Equal(in, lv.in[b.ID]) {
				copy(lv.in[b.ID], in)
				changed = true
			}
		}
	}
}

// walk goes through a block from its end to its start and reports definitions
// and uses by value id. Before edges are split (no copies yet), a phi's
// arguments count as used at the predecessor's end and the phi as defined at
// the start of its own block.
func (lv *liveness) walk(b *ir.Block, def, use func(id int)) {
	useArg := func(v *ir.Value) {
		if !literal(v) {
			use(v.ID)
		}
	}
	if b.Cond != nil {
		useArg(b.Cond)
	}
	if lv.copies != nil {
		for _, c := range lv.copies[b.ID] {
			def(c.phi.ID)
		}
		for _, c := range lv.copies[b.ID] {
			useArg(c.src)
		}
	} else {
		for _, s := range b.Succs {
			for _, phi := range s.Phis {
				useArg(phi.Args[predIndex(s, b)])
			}
		}
	}
	for i := len(b.Code) - 1; i >= 0; i-- {
		v := b.Code[i]
		if v.Op == isa.Proj {
			def(v.ID)
			continue
		}
		def(v.ID)
		for _, a := range v.Args {
			useArg(a)
		}
	}
	if lv.copies == nil {
		for _, phi := range b.Phis {
			def(phi.ID)
		}
	}
}
