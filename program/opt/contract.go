package opt

import (
	"spvsim/isa"
	"spvsim/program/ir"
)

// contract fuses operations that the vector unit does in one instruction:
// a*b+c of floats, where the module allows one rounding, and of integers, sums
// of dot products, and shifts and additions of three operands. Values must have their units
// (placement): the scalar unit fuses nothing.
func contract(f *ir.Func, o Options) bool {
	c := &contractor{f: f, o: o, u: newUses(f), pool: newPool(f), names: newRenaming(f), fused: make([]bool, f.NumValues())}
	for _, b := range f.Blocks {
		c.block(b)
	}
	changed := c.names.apply(f)
	c.pool.flush()
	return removeDead(f) || changed
}

type contractor struct {
	f     *ir.Func
	o     Options
	u     *uses
	pool  *pool
	names *renaming
	out   []*ir.Value
	fused []bool // by value id: an addition that took its product in
}

func (c *contractor) block(b *ir.Block) {
	c.out = make([]*ir.Value, 0, len(b.Code)+4)
	for _, v := range b.Code {
		if rule := fusions[v.Op]; rule != nil {
			rule(c, v)
		}
		c.out = append(c.out, v)
	}
	b.Code = c.out
}

var fusions = map[isa.Op]func(c *contractor, v *ir.Value){
	isa.FAdd: (*contractor).floatAdd, isa.FSub: (*contractor).floatSub,
	isa.IAdd: (*contractor).intAdd, isa.And: (*contractor).field, isa.Or: (*contractor).intOr, isa.Xor: (*contractor).intXor, isa.Shl: (*contractor).shift,
	isa.UMin: (*contractor).extreme, isa.UMax: (*contractor).extreme, isa.SMin: (*contractor).extreme, isa.SMax: (*contractor).extreme,
	isa.FMin: (*contractor).extreme, isa.FMax: (*contractor).extreme,
}

func (c *contractor) floatAdd(v *ir.Value) {
	for i, p := range v.Args {
		if c.product(v, p) {
			c.fuse(v, p.Args[0], p.Args[1], v.Args[1-i])
			return
		}
	}
}

// floatSub fuses a*b - c and c - a*b. The sign is free in f32, where it is an operand modifier (see modifiers), and
// where it meets a constant or another sign. Elsewhere it is an operation, but one that may leave a loop.
func (c *contractor) floatSub(v *ir.Value) {
	if p := v.Args[0]; c.product(v, p) {
		c.fuse(v, p.Args[0], p.Args[1], c.negate(v, v.Args[1]))
	} else if p := v.Args[1]; c.product(v, p) {
		a, b := p.Args[0], p.Args[1]
		if freeToNegate(b) {
			a, b = b, a
		}
		c.fuse(v, c.negate(v, a), b, v.Args[0])
	}
}

func (c *contractor) fuse(v, x, y, z *ir.Value) {
	v.Op, v.Args, v.Contracted = isa.Fma, []*ir.Value{x, y, z}, true
	c.fused[v.ID] = true
}

func freeToNegate(v *ir.Value) bool { return v.Op == isa.Const || v.Op == isa.FNeg }

func (c *contractor) negate(at, v *ir.Value) *ir.Value {
	switch v.Op {
	case isa.FNeg:
		return v.Args[0]
	case isa.Const:
		return c.pool.constant(v.R, isa.Eval(isa.FNeg, v.R, v.R, 0, v.Imm))
	}
	n := c.f.NewValue(isa.FNeg, at.T, at.T, v)
	n.Block, n.Origin = at.Block, at.Origin
	c.out = append(c.out, n)
	return n
}

// product reports whether p is a multiplication that fuses with the addition v: both allow it, and every other use of p
// is an addition that fuses too.
func (c *contractor) product(v, p *ir.Value) bool {
	if p.Op != isa.FMul || p.T != v.T || p.NoContract || v.NoContract || len(c.u.branches(p)) > 0 {
		return false
	}
	for _, w := range c.u.users(p) {
		if w.Op == isa.Fma && c.fused[w.ID] && w.Args[2] != p {
			continue
		}
		if w.Op != isa.FAdd && w.Op != isa.FSub || w.NoContract || w.Args[0] == w.Args[1] {
			return false
		}
	}
	return true
}

// private reports an operation of the vector unit that only v uses. One of
// another block may be in front of a loop, where it costs less.
func (c *contractor) private(v, p *ir.Value, op isa.Op) bool {
	return p.Op == op && p.Block == v.Block && p.T == v.T && !p.Uniform && c.u.count(p) == 1
}

func (c *contractor) intAdd(v *ir.Value) {
	if v.T == isa.I16 && !v.Uniform && c.o.FuseMad16 {
		c.intFuse(v, isa.IMul, isa.IMad)
	}
	if v.Uniform || v.T != isa.I32 {
		return
	}
	if c.dotAdd(v) {
		return
	}
	for _, f := range []struct {
		have     bool
		from, to isa.Op
	}{
		{c.o.FuseMad, isa.IMul, isa.IMad}, {c.o.LshlAdd, isa.Shl, isa.LshlAdd}, {c.o.Add3, isa.IAdd, isa.IAdd3},
	} {
		if f.have && c.intFuse(v, f.from, f.to) {
			return
		}
	}
}

// dotAdd makes the other addend the accumulator of a dot product that has none,
// as NIR does (nir_opt_algebraic).
func (c *contractor) dotAdd(v *ir.Value) bool {
	for i, p := range v.Args {
		if p.Op.Has(isa.FlagDot) && c.private(v, p, p.Op) && isConst(p.Args[2], 0) {
			v.Op, v.Args = p.Op, []*ir.Value{p.Args[0], p.Args[1], v.Args[1-i]}
			return true
		}
	}
	return false
}

func (c *contractor) intOr(v *ir.Value) {
	if v.Uniform || v.T != isa.I32 || !c.o.LshlAdd {
		return
	}
	_ = c.intFuse(v, isa.Shl, isa.LshlOr) || c.intFuse(v, isa.And, isa.AndOr) || c.intFuse(v, isa.Or, isa.Or3)
}

func (c *contractor) intXor(v *ir.Value) {
	if !v.Uniform && v.T == isa.I32 && c.o.Xor3 {
		c.intFuse(v, isa.Xor, isa.Xor3)
	}
}

// field makes a byte or a half that is shifted out of a word one instruction (v_bfe_u32, s_bfe_u32; NIR: extract_u8, extract_u16).
func (c *contractor) field(v *ir.Value) {
	p, mask := v.Args[0], v.Args[1]
	width := uint64(8)
	if isConst(mask, 0xffff) {
		width = 16
	} else if !isConst(mask, 0xff) {
		return
	}
	if v.T != isa.I32 || p.Op != isa.Shr || p.T != isa.I32 || p.Args[1].Op != isa.Const || p.Args[1].Imm%width != 0 || p.Args[1].Imm >= 32 || c.u.count(p) != 1 {
		return
	}
	v.Op, v.Args = isa.BitFieldUExtract, []*ir.Value{p.Args[0], p.Args[1], c.pool.constant(isa.I32, width)}
}

// shift fuses a shift with the addition of its operand.
func (c *contractor) shift(v *ir.Value) {
	if p := v.Args[0]; !v.Uniform && v.T == isa.I32 && c.o.LshlAdd && c.takesIn(v, p, isa.IAdd) {
		v.Op, v.Args = isa.AddLshl, []*ir.Value{p.Args[0], p.Args[1], v.Args[1]}
	}
}

func (c *contractor) intFuse(v *ir.Value, from, to isa.Op) bool {
	for i, p := range v.Args {
		if c.takesIn(v, p, from) {
			v.Op, v.Args = to, []*ir.Value{p.Args[0], p.Args[1], v.Args[1-i]}
			return true
		}
	}
	return false
}

// takesIn is private, but where vector instructions read two scalar registers, the vector unit may compute p, a scalar
// operation used by v alone.
func (c *contractor) takesIn(v, p *ir.Value, op isa.Op) bool {
	if p.Uniform && c.o.TwoScalars && op != isa.IMul {
		return p.Op == op && p.Block == v.Block && p.T == v.T && c.u.count(p) == 1 && p.R == v.R
	}
	return c.private(v, p, op)
}

// threes maps minima and maxima of two operands to those of three.
var threes = map[isa.Op]isa.Op{
	isa.UMin: isa.UMin3, isa.UMax: isa.UMax3, isa.SMin: isa.SMin3, isa.SMax: isa.SMax3, isa.FMin: isa.FMin3, isa.FMax: isa.FMax3,
}

// clamps maps operations to the median of three that a clamp with constants becomes.
var clamps = map[isa.Op]struct{ inner, middle isa.Op }{
	isa.UMin: {isa.UMax, isa.UMid3}, isa.SMin: {isa.SMax, isa.SMid3},
}

// extreme makes two minima, or two maxima, one of three operands, and a clamp
// between constants of integers their middle.
func (c *contractor) extreme(v *ir.Value) {
	if v.Uniform || v.T != isa.I32 && v.T != isa.F32 {
		return
	}
	for i, p := range v.Args {
		if c.private(v, p, v.Op) {
			v.Op, v.Args = threes[v.Op], []*ir.Value{p.Args[0], p.Args[1], v.Args[1-i]}
			return
		}
	}
	p, high := v.Args[0], v.Args[1]
	if v.Op == isa.FMin && !c.o.SelectBuffers && c.limits(v, p, high) {
		v.Op, v.Args = isa.FMid3, []*ir.Value{p.Args[0], p.Args[1], high}
		return
	}
	if k, ok := clamps[v.Op]; ok && high.Op == isa.Const && c.private(v, p, k.inner) && p.Args[1].Op == isa.Const && !lessConstant(v.Op, high, p.Args[1]) {
		v.Op, v.Args = k.middle, []*ir.Value{p.Args[0], p.Args[1], high}
	}
}

// limits reports a clamp of a float between constants (ACO: v_med3_f32, with one scalar register or literal before GFX10). A clamp to 0 and 1
// is a modifier.
func (c *contractor) limits(v, p, high *ir.Value) bool {
	if high.Op != isa.Const || !c.private(v, p, isa.FMax) || p.Args[1].Op != isa.Const {
		return false
	}
	least, most := float(p.Args[1], 0), float(high, 0)
	return least <= most && (least != 0 || most != 1)
}

func lessConstant(op isa.Op, a, b *ir.Value) bool {
	if op == isa.SMin {
		return signed(a.R, a.Imm) < signed(b.R, b.Imm)
	}
	return a.Imm < b.Imm
}
