package program

import (
	"cmp"
	"spvsim/isa"
	"spvsim/program/ir"
)

// An vectorCopier copies operands of accesses to vector registers: vector memory and LDS take no constant and no scalar
// register as data, and LDS none as address.
type vectorCopier struct {
	f           *ir.Func
	order       *ir.Order
	block       *ir.Block
	accessValue *ir.Value
	have        map[*ir.Value][]*ir.Value // copies, in the order of their blocks
	zero        *ir.Value                 // the integer 0
	code        []*ir.Value
}

func newVectorCopier(f *ir.Func, order *ir.Order) *vectorCopier {
	return &vectorCopier{f: f, order: order, have: map[*ir.Value][]*ir.Value{}}
}

// access gives an access its copies, and returns the code up to it.
func (c *vectorCopier) access(code []*ir.Value, v *ir.Value) []*ir.Value {
	c.accessValue, c.code = v, code
	m := v.Mem
	_, _, _, data := v.MemArgs()
	switch {
	case v.Op == isa.Store || v.Op == isa.ImageStore || v.Op == isa.Export || v.Op.Has(isa.FlagReads) && v.Op.Has(isa.FlagWrites) || v.Op == isa.AtomicStore:
		c.all(data)
	case m.Space == isa.SpaceImage && v.Op.Has(isa.FlagReads):
		c.all(data[:m.Coords])
	}
	if m.Space == isa.SpaceLDS {
		c.address(v)
	}
	return c.code
}

func (c *vectorCopier) all(args []*ir.Value) {
	for i, a := range args {
		if uniform(a) && a.R != isa.Bool {
			args[i] = c.copy(a)
		}
	}
}

func (c *vectorCopier) copy(a *ir.Value) *ir.Value {
	if a.Op == isa.Const && a.R == isa.I32 && a.Imm == 0 {
		c.zero = cmp.Or(c.zero, a)
		a = c.zero
	}
	if w := c.dominatingCopy(c.have[a]); w != nil {
		return w
	}
	w := c.f.NewValue(isa.Mov, a.R, a.R, a)
	w.Block, w.Origin = c.block, c.accessValue.Origin
	c.have[a] = append(c.have[a], w)
	c.code = append(c.code, w)
	return w
}

// fewCopies bounds how many of the last copies are examined, besides the first, for one in a block that dominates the
// access.
const fewCopies = 4

func (c *vectorCopier) dominatingCopy(copies []*ir.Value) *ir.Value {
	at := c.order.Position[c.block.ID]
	passed := func(w *ir.Value) bool {
		return w.Block == c.block || c.order.Dominates(c.order.Position[w.Block.ID], at)
	}
	if len(copies) > 0 && passed(copies[0]) {
		return copies[0]
	}
	for i := len(copies) - 1; i > 0 && i >= len(copies)-fewCopies; i-- {
		if passed(copies[i]) {
			return copies[i]
		}
	}
	return nil
}

// address puts a uniform address of LDS, or zero for one that is a constant, into a vector register.
func (c *vectorCopier) address(v *ir.Value) {
	m := v.Mem
	switch {
	case m.HasIndex:
	case m.HasBase:
		v.Args[0] = c.copy(v.Args[0])
		m.HasBase, m.HasIndex = false, true
	default:
		v.Args = append([]*ir.Value{c.copyOfZero()}, v.Args...)
		m.HasIndex = true
	}
}

func (c *vectorCopier) copyOfZero() *ir.Value {
	k := c.f.NewValue(isa.Const, isa.I32, isa.I32)
	k.Block, k.Uniform = c.block, true
	return c.copy(k)
}
