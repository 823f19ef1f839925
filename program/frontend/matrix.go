package frontend

import (
	"math/bits"
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
)

// matrices holds the instructions of SPV_KHR_cooperative_matrix.
type matrices struct{ *pointers }

func matrixRows() map[spirv.Op]row[*matrices] {
	return map[spirv.Op]row[*matrices]{
		spirv.OpCooperativeMatrixLoadKHR:   {translate: (*matrices).load},
		spirv.OpCooperativeMatrixStoreKHR:  {translate: (*matrices).store},
		spirv.OpCooperativeMatrixMulAddKHR: {translate: (*matrices).mulAdd},
		spirv.OpCooperativeMatrixLengthKHR: {translate: (*matrices).length, constant: true},
	}
}

func (b *matrices) length() {
	c := b.coop(b.typ(b.arg(0)))
	if c == nil {
		b.invalid("%%%d is not a cooperative matrix type", b.arg(0))
	}
	b.set(b.i32(uint32(c.elements())))
}

// A spacing is a number of bytes: a constant, or value times constant.
type spacing struct {
	value  *ir.Value // nil: no display
	factor uint32
}

// matrixMemory locates a matrix: a pointer, and the distances of neighbours along both sides.
type matrixMemory struct {
	c            *coop
	base         pointer
	outer, depth spacing
	contiguous   bool // along the depth
}

func (b *matrices) load() {
	c := b.coop(b.resultType())
	if c == nil {
		b.invalid("the result is not a cooperative matrix")
	}
	m := b.memory(c, 1)
	leaves := make([]*ir.Value, 0, c.tiles()*c.perTile())
	for long := range c.outer {
		for depth := range c.depth {
			for r := range c.perTile() {
				leaves = append(leaves, b.loadRegister(m, long, depth, r))
			}
		}
	}
	b.set(leaves...)
}

func (b *matrices) store() {
	c := b.coop(b.typeOf(b.arg(1)))
	if c == nil {
		b.invalid("%%%d is not a cooperative matrix", b.arg(1))
	}
	leaves := b.leaves(b.arg(1))
	m := b.memory(c, 2)
	for long := range c.outer {
		for depth := range c.depth {
			for r, v := range c.tile(leaves, long, depth) {
				b.storeRegister(m, long, depth, r, v)
			}
		}
	}
}

// memory reads pointer, layout, stride and memory operands; the layout is
// operand i. The part of the address that differs by lane goes to the pointer.
func (b *matrices) memory(c *coop, i int) *matrixMemory {
	p := b.anyPtr(b.arg(0))
	if p.space != isa.SpaceBuffer && p.space != isa.SpaceFlat && p.space != isa.SpaceLDS || p.array {
		b.unsupported("a cooperative matrix in this memory")
	}
	layout := spirv.CooperativeMatrixLayout(b.constBits(b.arg(i)))
	if layout != spirv.CooperativeMatrixLayoutRowMajorKHR && layout != spirv.CooperativeMatrixLayoutColumnMajorKHR {
		b.unsupported("cooperative matrix layout %s", layout)
	}
	pointee := uint32(1) // an untyped pointer's stride counts bytes
	if !b.typeOf(b.arg(0)).Untyped() {
		pointee = memBytes(b.comp(p.typ)) * uint32(max(1, p.typ.Count))
	}
	stride := b.strideBytes(b.arg(i+1), pointee)
	a, _ := b.memoryAccess(i + 2)
	a.apply(&p)
	m := &matrixMemory{c: c, base: p, outer: stride, depth: spacing{factor: memBytes(c.elem)}, contiguous: true}
	if (layout == spirv.CooperativeMatrixLayoutRowMajorKHR) != (c.use == isa.UseA) {
		m.outer, m.depth, m.contiguous = m.depth, m.outer, false
	}
	b.addLane(m)
	return m
}

// strideBytes converts a stride, which counts pointees, to bytes.
func (b *matrices) strideBytes(id spirv.ID, pointee uint32) spacing {
	v := b.scalarOf(id)
	if v.Op == isa.Const {
		return spacing{factor: uint32(v.Imm) * pointee}
	}
	return spacing{b.resize(v, b.typeOf(id), isa.I32), pointee}
}

// addLane adds the lane's part of the address: the position along the long side is the lane's number in its group of
// 16, and the groups follow each other along the depth.
func (b *matrices) addLane(m *matrixMemory) {
	lane := b.onceOne(func() *ir.Value { return b.emit(isa.LaneID, isa.I32, isa.I32) })
	index := b.times(b.op(isa.And, isa.I32, lane, b.i32(isa.MatrixTile-1)), m.outer, 1)
	step := m.c.Step
	group := b.op(isa.Shr, isa.I32, lane, b.i32(4))
	switch {
	case step[0] == 0 && step[1] == 0:
	case b.opt.WaveSize == 32 || step[1] == 2*step[0]:
		index = b.op(isa.IAdd, isa.I32, index, b.times(group, m.depth, step[0]))
	default:
		low := b.op(isa.And, isa.I32, group, b.i32(1))
		high := b.op(isa.Shr, isa.I32, group, b.i32(1))
		index = b.op(isa.IAdd, isa.I32, index, b.times(low, m.depth, step[0]))
		index = b.op(isa.IAdd, isa.I32, index, b.times(high, m.depth, step[1]))
	}
	m.base.align = m.alignment()
	b.advance(&m.base, index)
}

// alignment returns the known alignment of every lane's address: the API requires that a matrix and its stride are
// aligned to 16 bytes, or to a row (column) that is shorter (VUID-RuntimeSpirv-OpCooperativeMatrixLoadKHR-08986).
func (m *matrixMemory) alignment() uint32 {
	if !m.contiguous {
		return memBytes(m.c.elem)
	}
	known := lowestBit(uint32(m.c.depth*m.c.Depth) * memBytes(m.c.elem))
	for _, s := range m.c.Step {
		known = min(known, lowestBit(uint32(s)*memBytes(m.c.elem)))
	}
	for m.base.offset%known != 0 {
		known /= 2
	}
	return known
}

// lowestBit returns the largest power of two that divides n, up to baseAlign.
func lowestBit(n uint32) uint32 { return 1 << bits.TrailingZeros32(n|baseAlign) }

// times returns v * n spacings.
func (b *matrices) times(v *ir.Value, d spacing, n int) *ir.Value {
	if d.value != nil {
		v = b.op(isa.IMul, isa.I32, v, d.value)
	}
	if k := d.factor * uint32(n); k != 1 {
		v = b.op(isa.IMul, isa.I32, v, b.i32(k))
	}
	return v
}

// advance adds a 32-bit number of bytes to a pointer's index.
func (b *matrices) advance(p *pointer, by *ir.Value) {
	t := p.addressType()
	by = b.widen(by, t)
	if p.index != nil {
		by = b.op(isa.IAdd, t, p.index, by)
	}
	p.index = by
}

// advanceBy returns the pointer advanced by n spacings.
func (b *matrices) advanceBy(p pointer, d spacing, n int) pointer {
	switch {
	case n == 0:
	case d.value == nil:
		p.offset += uint32(n) * d.factor
	default:
		b.advance(&p, b.op(isa.IMul, isa.I32, d.value, b.i32(uint32(n)*d.factor)))
	}
	return p
}

// element returns the pointer to element e of a lane in a tile.
func (b *matrices) element(m *matrixMemory, long, depth, e int) pointer {
	p := b.advanceBy(m.base, m.outer, long*isa.MatrixTile)
	return b.advanceBy(p, m.depth, depth*m.c.Depth+m.c.Offsets[e])
}

// wide reports whether the elements of a register are contiguous in memory.
func (m *matrixMemory) wide() bool { return m.c.PerReg > 1 && m.contiguous }

func (b *matrices) loadRegister(m *matrixMemory, long, depth, r int) *ir.Value {
	c := m.c
	if m.wide() {
		return b.loadChunk(b.element(m, long, depth, r*c.PerReg), chunk{t: isa.I32, n: 1})[0]
	}
	parts := make([]*ir.Value, c.PerReg)
	for i := range parts {
		parts[i] = b.loadChunk(b.element(m, long, depth, r*c.PerReg+i), chunk{t: c.elem, n: 1})[0]
	}
	return b.packed(c, parts)
}

func (b *matrices) storeRegister(m *matrixMemory, long, depth, r int, v *ir.Value) {
	c := m.c
	if m.wide() {
		b.storeOne(b.element(m, long, depth, r*c.PerReg), isa.I32, v)
		return
	}
	for i := range c.PerReg {
		b.storeOne(b.element(m, long, depth, r*c.PerReg+i), c.elem, b.elementOf(c, v, i))
	}
}

func (b *matrices) storeOne(p pointer, t isa.Type, v *ir.Value) {
	m, args := b.mem(p, t, 0, 1)
	b.emit(isa.Store, t, isa.Void, append(args, v)...).Mem = m
	b.wrote(p)
}

// mulAdd translates OpCooperativeMatrixMulAddKHR: a product for each tile of the result and each step along the depth,
// accumulated over the depth.
func (b *matrices) mulAdd() {
	x, y, z := b.coop(b.typeOf(b.arg(0))), b.coop(b.typeOf(b.arg(1))), b.coop(b.typeOf(b.arg(2)))
	if x == nil || y == nil || z == nil || x.use != isa.UseA || y.use != isa.UseB || z.use != isa.UseC {
		b.invalid("the operands are not cooperative matrices of uses A, B and accumulator")
	}
	if x.rows != z.rows || y.cols != z.cols || x.cols != y.rows {
		b.invalid("%d x %d times %d x %d is not %d x %d", x.rows, x.cols, y.rows, y.cols, z.rows, z.cols)
	}
	total := b.accumulator(x, y, z)
	product := b.product(x, y, total)
	p, q, sum := b.leaves(b.arg(0)), b.leaves(b.arg(1)), b.leaves(b.arg(2))
	out := make([]*ir.Value, len(sum))
	for j := range z.outer {
		for i := range z.depth {
			d := b.sums(z, total, z.tile(sum, j, i))
			for k := range x.depth {
				d = product(x.tile(p, i, k), y.tile(q, j, k), d)
			}
			copy(z.tile(out, j, i), b.sums(total, z, d))
		}
	}
	b.set(out...)
}

// accumulator returns the type in which the unit accumulates. If it has the product with sums of 32 bits alone, those
// replace sums of 16 bits (as rocWMMA does on CDNA), provided that a lane holds the same elements of both.
func (b *matrices) accumulator(x, y, z *coop) *coop {
	t := b.opt.Matrix
	if _, has := isa.MatrixOpFor(t.Unit, x.elem, y.elem, z.elem, x.Depth); has || t.Unit == isa.NoMatrixUnit || !z.elem.IsFloat() || z.elem.Bits() != 16 {
		return z
	}
	wide := *z
	wide.elem, wide.Fragment = isa.F32, t.layout().Fragment(z.use, isa.F32, z.rows, b.opt.WaveSize)
	if _, has := isa.MatrixOpFor(t.Unit, x.elem, y.elem, wide.elem, x.Depth); !has || wide.Step != z.Step || wide.Depth != z.Depth || !slices.Equal(wide.Offsets, z.Offsets) {
		return z
	}
	return &wide
}

// sums converts the leaves of a tile of sums to another type.
func (b *matrices) sums(from, to *coop, leaves []*ir.Value) []*ir.Value {
	if from == to {
		return leaves
	}
	elements := b.unpack(from, leaves)
	out := make([]*ir.Value, 0, to.perTile())
	for part := range slices.Chunk(elements, to.PerReg) {
		for i := range part {
			part[i] = b.conv(isa.FConvert, from.elem, to.elem, part[i])
		}
		out = append(out, b.packed(to, part))
	}
	return out
}

// product returns the function that multiplies tiles: by an instruction, or in the lanes if there is no matrix unit.
func (b *matrices) product(x, y, z *coop) func(p, q, sum []*ir.Value) []*ir.Value {
	imm := b.matrixImm()
	t := b.opt.Matrix
	if t.Unit == isa.NoMatrixUnit {
		return func(p, q, sum []*ir.Value) []*ir.Value { return b.multiplyInLanes(x, y, z, imm, p, q, sum) }
	}
	index, ok := isa.MatrixOpFor(t.Unit, x.elem, y.elem, z.elem, x.Depth)
	if !ok || !t.Has(isa.MatrixOps[index].Class) {
		b.unsupported("unit %s has no product of %s and %s to %s", t.Unit, x.elem, y.elem, z.elem)
	}
	imm.Op = index
	return func(p, q, sum []*ir.Value) []*ir.Value { return b.instruction(z, imm, p, q, sum) }
}

func (b *matrices) matrixImm() (imm isa.MatrixImm) {
	if len(b.in.Operands) <= 3 {
		return imm
	}
	has := func(bit spirv.CooperativeMatrixOperands) bool {
		return spirv.CooperativeMatrixOperands(b.in.Operands[3])&bit != 0
	}
	return isa.MatrixImm{
		SignedA: has(spirv.CooperativeMatrixOperandsMatrixASignedComponentsKHR), SignedB: has(spirv.CooperativeMatrixOperandsMatrixBSignedComponentsKHR),
		Total: has(spirv.CooperativeMatrixOperandsMatrixResultSignedComponentsKHR), Saturate: has(spirv.CooperativeMatrixOperandsSaturatingAccumulationKHR),
	}
}

func (b *matrices) instruction(z *coop, imm isa.MatrixImm, p, q, sum []*ir.Value) []*ir.Value {
	args := append(append(append(make([]*ir.Value, 0, 2*len(p)+len(sum)), p...), q...), sum...)
	v := b.emit(isa.MatrixMulAdd, isa.Void, isa.Void, args...)
	v.Imm = imm.Bits()
	out := make([]*ir.Value, len(sum))
	for i := range out {
		out[i] = b.proj(v, i, z.leaf())
	}
	return out
}
