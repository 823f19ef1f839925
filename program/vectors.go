package program

import (
	"spvsim/isa"
	"spvsim/program/ir"
)

// An inVectors makes copies in vector registers of what accesses take from there
// alone: vector memory and LDS have no constant and no scalar register among their data,
// and LDS none in its address.
type inVectors struct {
	f    *ir.Func
	at   *ir.Value
	have map[*ir.Value]*ir.Value // copies that the block has made
	zero *ir.Value               // the first of them that holds the integer 0
	code []*ir.Value
}

// access gives an access its copies, and returns the code up to it.
func (c *inVectors) access(code []*ir.Value, v *ir.Value) []*ir.Value {
	c.at, c.code = v, code
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

func (c *inVectors) all(args []*ir.Value) {
	for i, a := range args {
		if uniform(a) && a.R != isa.Bool {
			args[i] = c.copy(a)
		}
	}
}

func (c *inVectors) copy(a *ir.Value) *ir.Value {
	if c.have[a] == nil {
		w := c.f.NewValue(isa.Mov, a.R, a.R, a)
		w.Block, w.Origin = c.at.Block, c.at.Origin
		c.have[a] = w
		c.code = append(c.code, w)
		if c.zero == nil && a.Op == isa.Const && a.R == isa.I32 && a.Imm == 0 {
			c.zero = w
		}
	}
	return c.have[a]
}

// address puts a uniform address of LDS, or zero for one that is a constant, into a vector register.
func (c *inVectors) address(v *ir.Value) {
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

func (c *inVectors) copyOfZero() *ir.Value {
	if c.zero != nil {
		return c.zero
	}
	k := c.f.NewValue(isa.Const, isa.I32, isa.I32)
	k.Block, k.Uniform = c.at.Block, true
	return c.copy(k)
}
