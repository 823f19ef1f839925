package frontend

import (
	"slices"

	"spvsim/internal/lists"
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// In each lane, a cooperative matrix consists of the registers of its tiles: first those of the first 16 rows of A
// (columns of B or C), ordered by the tiles along the depth. The machine determines which elements a lane holds, and
// how many of them share a register.

// A MatrixTarget holds the properties of a machine that the lowering of cooperative matrices depends on.
type MatrixTarget struct {
	Unit isa.MatrixUnit
	// Lower: a machine without a unit computes products in its lanes.
	Lower bool
	// Has reports whether the timing table has an instruction's class.
	Has func(isa.Class) bool
}

// layout returns the unit whose layout matrices have.
func (t MatrixTarget) layout() isa.MatrixUnit {
	if t.Unit == isa.NoMatrixUnit {
		return isa.RDNA3
	}
	return t.Unit
}

// A coop is a cooperative matrix type with its layout in the machine.
type coop struct {
	isa.Fragment
	use          isa.MatrixUse
	rows, cols   int
	elem         isa.Type
	outer, depth int // tiles along the rows of A or the columns of B or C, and along the other side
}

// leaf returns the type of one register.
func (c *coop) leaf() isa.Type {
	if c.PerReg > 1 {
		return isa.I32
	}
	return c.elem
}

// perTile returns the number of leaves of a tile; tiles the number of tiles.
func (c *coop) perTile() int { return len(c.Offsets) / c.PerReg }
func (c *coop) tiles() int   { return c.outer * c.depth }

// elements returns how many elements a lane holds.
func (c *coop) elements() int { return c.tiles() * len(c.Offsets) }

func (c *coop) tile(leaves []*ir.Value, long, depth int) []*ir.Value {
	n := c.perTile()
	at := (long*c.depth + depth) * n
	return leaves[at : at+n]
}

// coop resolves a cooperative matrix type; nil for other types.
func (b *values) coop(t *validate.Type) *coop {
	if t == nil || t.Kind != validate.KindCooperativeMatrix {
		return nil
	}
	if c := b.coops[t.ID]; c != nil {
		return c
	}
	c := b.newCoop(t)
	b.coops[t.ID] = c
	return c
}

func (b *values) newCoop(t *validate.Type) *coop {
	m := b.opt.Matrix
	if m.Unit == isa.NoMatrixUnit && !m.Lower {
		b.unsupported("cooperative matrix %%%d: the machine has no matrix unit (matrix.unit is none; matrix.without is refuse)", t.ID)
	}
	if s := spirv.Scope(b.constBits(t.Matrix.Scope)); s != spirv.ScopeSubgroup {
		b.unsupported("cooperative matrix %%%d of scope %s: matrix units work on the registers of one wave, scope Subgroup", t.ID, s)
	}
	b.fullWaves(t)
	c := &coop{use: isa.MatrixUse(b.constBits(t.Matrix.Use)), elem: b.scalar(t.Elem)}
	if c.use > isa.UseC {
		b.invalid("cooperative matrix %%%d has use %d", t.ID, c.use)
	}
	c.rows, c.cols = int(b.constBits(t.Matrix.Rows)), int(b.constBits(t.Matrix.Columns))
	long, depth := c.cols, c.rows
	if c.use == isa.UseA {
		long, depth = c.rows, c.cols
	}
	c.Fragment = m.layout().Fragment(c.use, c.elem, depth, b.opt.WaveSize)
	if long <= 0 || depth <= 0 || long > maxLeaves || depth > maxLeaves || long%isa.MatrixTile != 0 || depth%c.Depth != 0 {
		wantRows, wantCols := c.Depth, isa.MatrixTile
		if c.use == isa.UseA {
			wantRows, wantCols = wantCols, wantRows
		}
		b.unsupported("cooperative matrix %%%d of %d x %d %s, use %s%s: unit %s has multiples of %d x %d", t.ID, c.rows, c.cols, c.elem, c.use,
			b.specialized(t.Matrix.Rows, t.Matrix.Columns), m.layout(), wantRows, wantCols)
	}
	c.outer, c.depth = long/isa.MatrixTile, depth/c.Depth
	b.limitLeaves(c.elements())
	return c
}

// fullWaves asks for workgroups in which every lane of a wave has an invocation.
func (b *values) fullWaves(t *validate.Type) {
	n := b.f.Invocations()
	if n%uint64(b.opt.WaveSize) != 0 {
		b.unsupported("cooperative matrix %%%d in workgroups of %d invocations%s: they are not whole waves of %d lanes", t.ID, n, b.specialized(b.sized...), b.opt.WaveSize)
	}
}

// specialized returns an addition to an error text if a number depends on specialization constants, which a job may
// set.
func (b *values) specialized(ids ...spirv.ID) string {
	for _, id := range ids {
		if b.m.Specialized(id) {
			return ", with these constants"
		}
	}
	return ""
}

// elements returns the scalars of a value; of a cooperative matrix, its elements.
func (b *maths) elements(id spirv.ID) []*ir.Value {
	leaves := b.leaves(id)
	c := b.coop(b.typeOf(id))
	if c == nil {
		return leaves
	}
	return b.unpack(c, leaves)
}

func (b *maths) unpack(c *coop, leaves []*ir.Value) []*ir.Value {
	if c.PerReg == 1 {
		return leaves
	}
	out := make([]*ir.Value, 0, c.elements())
	for _, v := range leaves {
		for i := range c.PerReg {
			out = append(out, b.elementOf(c, v, i))
		}
	}
	return out
}

// elementOf returns the i-th element of a register.
func (b *maths) elementOf(c *coop, v *ir.Value, i int) *ir.Value {
	switch {
	case c.PerReg == 1:
		return v
	case v.Op == isa.Pack16:
		return b.retype(v.Args[i], c.elem)
	case c.PerReg == 2 && v.Op != isa.Const:
		half := b.emit(isa.Unpack16, isa.I32, isa.I16, v)
		half.Imm = uint64(i)
		return b.retype(half, c.elem)
	case v.Op == isa.Const:
		return b.constant(c.elem, v.Imm>>(uint(i)*c.elem.Bits()))
	}
	return b.retype(b.cut(v, i, c.elem.Bits()), c.elem)
}

// packed makes one register of its elements.
func (b *maths) packed(c *coop, parts []*ir.Value) *ir.Value {
	if c.PerReg == 1 {
		return b.coerce(parts[0], c.elem)
	}
	bits, all := c.elem.Bits(), uint64(0)
	for i, v := range parts {
		if v.Op != isa.Const {
			return b.join32(c, parts)
		}
		all |= v.Imm << (uint(i) * bits)
	}
	return b.constant(isa.I32, all)
}

func (b *maths) join32(c *coop, parts []*ir.Value) *ir.Value {
	narrow := lists.Map(parts, func(v *ir.Value) *ir.Value { return b.retype(b.coerce(v, c.elem), isa.IntType(c.elem.Bits())) })
	if c.PerReg == 2 {
		return b.op(isa.Pack16, isa.I32, narrow...)
	}
	return b.packInteger(narrow)
}

// setElements sets the current instruction's result to elements.
func (b *maths) setElements(elements ...*ir.Value) {
	c := b.coop(b.resultType())
	if c == nil {
		b.set(elements...)
		return
	}
	if len(elements) != c.elements() {
		b.invalid("%d elements for a cooperative matrix of %d a lane", len(elements), c.elements())
	}
	leaves := make([]*ir.Value, 0, len(elements)/c.PerReg)
	for part := range slices.Chunk(elements, c.PerReg) {
		leaves = append(leaves, b.packed(c, part))
	}
	b.set(leaves...)
}

// sameElements refuses operations on matrices whose elements are distributed differently to lanes: the machine would
// have to move them between lanes.
func (b *maths) sameElements(id spirv.ID) {
	c, r := b.coop(b.typeOf(id)), b.coop(b.resultType())
	switch {
	case c == nil && r == nil:
	case c == nil || r == nil:
		b.invalid("%%%d and the result are not both cooperative matrices", id)
	case c.use != r.use || c.rows != r.rows || c.cols != r.cols:
		b.invalid("%%%d is %d x %d of use %s, the result %d x %d of use %s", id, c.rows, c.cols, c.use, r.rows, r.cols, r.use)
	case c.Step != r.Step || c.Depth != r.Depth || !slices.Equal(c.Offsets, r.Offsets):
		b.unsupported("unit %s: its lanes hold other elements of a matrix of %s than of one of %s, use %s", b.opt.Matrix.layout(), c.elem, r.elem, c.use)
	}
}

// splatConstant is splat for a constant.
func (b *values) splatConstant(c *coop) {
	if len(b.in.Operands) != 1 {
		b.invalid("%d constituents of a cooperative matrix: want 1", len(b.in.Operands))
	}
	v, bits := b.scalarOf(b.arg(0)), uint64(0)
	if v.Op != isa.Const && v.Op != isa.Undef || v.R.Bits() != c.elem.Bits() {
		b.invalid("%%%d is not a constant of the components' type", b.arg(0))
	}
	for range c.PerReg {
		bits = bits<<(c.elem.Bits()%64) | v.Imm
	}
	list := make([]*ir.Value, c.tiles()*c.perTile())
	for i := range list {
		list[i] = b.constant(c.leaf(), bits)
	}
	b.set(list...)
}

// splat sets all elements of a matrix to one value.
func (b *maths) splat(c *coop) {
	if len(b.in.Operands) != 1 {
		b.invalid("%d constituents of a cooperative matrix: want 1", len(b.in.Operands))
	}
	v := b.scalarOf(b.arg(0))
	list := make([]*ir.Value, c.elements())
	for i := range list {
		list[i] = v
	}
	b.setElements(list...)
}

// element returns the number of the element that literal indexes select.
func (b *maths) element(c *coop, indexes []uint32) int {
	if len(indexes) != 1 || int64(indexes[0]) >= int64(c.elements()) {
		b.invalid("indexes %v of a cooperative matrix of %d elements a lane", indexes, c.elements())
	}
	return int(indexes[0])
}
