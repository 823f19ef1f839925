package opt

import (
	"spvsim/isa"
	"spvsim/program/ir"
)

// maxSelected bounds the operations that a branch guards if selections are to replace it: about the cost of the mask
// operations of a divergent branch.
const maxSelected = 4

// ifconvert replaces small branches without effects by computing both sides and selecting, and two equal sides by one
// copy.
func ifconvert(f *ir.Func, o Options) bool {
	g := newGraph(f)
	changed := false
	for i := len(g.Blocks) - 1; i >= 0; i-- { // inner ones first
		if b := g.Blocks[i]; b.Term == ir.Cond && b.Continue == nil && convert(f, o, b) {
			changed = true
		}
	}
	if changed {
		removeUnreachable(f)
	}
	return changed
}

// A side is one way from a branch to the block where the ways meet: through an arm, or directly.
type side struct {
	arm  *ir.Block // nil: straight
	pred *ir.Block // the predecessor of the meeting block on this way
	cost int
}

func convert(f *ir.Func, o Options, b *ir.Block) bool {
	m := mergePoint(b)
	if m == nil {
		return false
	}
	yes, no := o.sideOf(f, b, b.Succs[0], m), o.sideOf(f, b, b.Succs[1], m)
	if !o.worthSelecting(yes.cost, no.cost, len(m.Phis)) || yes.pred == no.pred {
		returns := b.Merge != nil && (b.Merge == yes.arm || b.Merge == no.arm)
		return yes.pred != no.pred && !returns && mergeSides(f, o, b, m, yes, no)
	}
	for _, s := range []side{yes, no} {
		if s.arm != nil {
			for _, v := range s.arm.Code {
				b.Append(v)
			}
			s.arm.Code = nil
		}
	}
	chooseArgs(f, b, m, yes.pred, no.pred)
	b.Term, b.Cond, b.Succs, b.Merge = ir.Jump, nil, []*ir.Block{m}, nil
	return true
}

// maxSide is the number of operations up to which Mesa replaces a side by selections (nir_opt_peephole_select, as RADV
// calls it).
const maxSide = 8

func (o *Options) worthSelecting(yes, no, phis int) bool {
	if o.SelectBuffers {
		return yes+no+phis <= maxSelected+1 && yes+no <= maxSelected
	}
	return yes <= maxSide && no <= maxSide
}

// mergePoint returns the block at which both ways from b meet after at most one block each; nil if there is none.
func mergePoint(b *ir.Block) *ir.Block {
	s, t := b.Succs[0], b.Succs[1]
	switch {
	case s == t:
		return nil
	case armTarget(b, s) == t:
		return t
	case armTarget(b, t) == s:
		return s
	case armTarget(b, s) != nil && armTarget(b, s) == armTarget(b, t):
		return armTarget(b, s)
	}
	return nil
}

// armTarget returns the block after an arm that only b reaches. It may be b's merge block, where the other arm returns from an
// inlined function to the same block.
func armTarget(b, arm *ir.Block) *ir.Block {
	if arm.Term != ir.Jump || len(arm.Preds) != 1 || len(arm.Phis) > 0 || arm.Merge != nil {
		return nil
	}
	return arm.Succs[0]
}

const never = 1 << 20

func (o *Options) sideOf(f *ir.Func, b, s, m *ir.Block) side {
	if s == m {
		return side{pred: b}
	}
	cost := 0
	for _, v := range s.Code {
		c := selectedCost(v)
		if n := expensive[v.Op]; n > 0 && v.R.Bits() <= 32 && !o.SelectBuffers && !o.Precise && !f.Kernel {
			c = n
		}
		cost += c
	}
	return side{arm: s, pred: s, cost: cost}
}

// expensive lists operations that LLVM does not compute where their result may not be needed. RADV lets Mesa do so, which counts
// the instructions that NIR has for them at that time (expensive_alu_ok): sequences for divisions of integers come later.
var expensive = map[isa.Op]int{
	isa.UDiv: 1, isa.SDiv: 1, isa.UMod: 1, isa.SMod: 1, isa.SRem: 1,
	isa.FDiv: 2, isa.Rcp: 1, isa.Sqrt: 1, isa.Rsq: 1, isa.Exp2: 1, isa.Log2: 1, isa.Exp: 2, isa.Log: 2, isa.Pow: 3, isa.Sin: 1, isa.Cos: 1,
}

// selectedCost returns the number of instructions of a cheap operation. Others are not computed where their result may
// not be needed.
func selectedCost(v *ir.Value) int {
	switch {
	case literal(v):
		return 0
	case !v.Op.Has(isa.FlagPure|isa.FlagCheap) || v.Mem != nil:
		return never
	case v.R.Bits() == 64:
		return 2
	}
	return 1
}

// chooseArgs replaces the arguments of m's phis from the two ways by selections in b, which becomes the predecessor for
// both.
func chooseArgs(f *ir.Func, b, m, yes, no *ir.Block) {
	i, j := predOf(m, yes), predOf(m, no)
	for _, phi := range m.Phis {
		x, y := phi.Args[i], phi.Args[j]
		if x != y {
			x = newSelect(f, b, phi, x, y)
		}
		phi.Args[i] = x
	}
	m.Preds[i] = b
	dropPred(m, j)
}

func newSelect(f *ir.Func, b *ir.Block, phi, x, y *ir.Value) *ir.Value {
	s := f.NewValue(isa.Select, phi.R, phi.R, b.Cond, x, y)
	s.Origin = phi.Origin
	if s.Line == 0 {
		s.Line = b.Line
	}
	return b.Append(s)
}

func predOf(b, pred *ir.Block) int {
	for i, p := range b.Preds {
		if p == pred {
			return i
		}
	}
	panic("opt: a successor does not list its predecessor")
}
