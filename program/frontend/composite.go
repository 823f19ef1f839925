package frontend

import (
	"slices"

	"spvsim/internal/lists"
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

func compositeRows() map[spirv.Op]row[*maths] {
	return map[spirv.Op]row[*maths]{
		spirv.OpCompositeConstruct:             pure((*maths).construct),
		spirv.OpCompositeConstructReplicateEXT: pure((*maths).replicateOne),
		spirv.OpCompositeExtract:               pure((*maths).compositeExtract),
		spirv.OpCompositeInsert:                pure((*maths).compositeInsert),
		spirv.OpVectorShuffle:                  pure((*maths).vectorShuffle),
		spirv.OpVectorExtractDynamic:           pure((*maths).vectorExtract),
		spirv.OpVectorInsertDynamic:            pure((*maths).vectorInsert),
		spirv.OpCopyObject:                     pure(func(b *maths) { b.define(b.val(b.arg(0))) }),
		spirv.OpCopyLogical:                    pure(func(b *maths) { b.set(b.leaves(b.arg(0))...) }),
		spirv.OpUndef:                          pure((*maths).undefined),
		spirv.OpTranspose:                      pure((*maths).transpose),
		spirv.OpVectorTimesScalar:              pure((*maths).timesScalar),
		spirv.OpMatrixTimesScalar:              pure((*maths).timesScalar),
		spirv.OpMatrixTimesVector:              pure((*maths).matrixTimesVector),
		spirv.OpVectorTimesMatrix:              pure((*maths).vectorTimesMatrix),
		spirv.OpMatrixTimesMatrix:              pure((*maths).matrixTimesMatrix),
		spirv.OpOuterProduct:                   pure((*maths).outerProduct),
	}
}

// leafRange finds the leaves of a composite that literal indexes select: where they
// start, and their type.
func (b *maths) leafRange(t *validate.Type, indexes []uint32) (start int, _ *validate.Type) {
	for _, i := range indexes {
		switch t.Kind {
		case validate.KindVector, validate.KindMatrix, validate.KindArray:
			if int64(i) >= int64(b.count(t)) {
				b.invalid("index %d into %d elements", i, b.count(t))
			}
			t = t.Elem
			start += int(i) * len(b.leafTypes(t))
		case validate.KindStruct:
			if int64(i) >= int64(len(t.Members)) {
				b.invalid("index %d into %d members", i, len(t.Members))
			}
			for _, m := range t.Members[:i] {
				start += len(b.leafTypes(m))
			}
			t = t.Members[i]
		default:
			b.invalid("index %d into a type that has no parts, %%%d", i, t.ID)
		}
	}
	return start, t
}

func (b *maths) construct() {
	if c := b.coop(b.resultType()); c != nil {
		b.splat(c)
		return
	}
	b.compositeConstruct()
}

func (b *maths) replicateOne() {
	if c := b.coop(b.resultType()); c != nil {
		b.splat(c)
		return
	}
	b.replicate()
}

func (b *maths) compositeExtract() {
	if c := b.coop(b.typeOf(b.arg(0))); c != nil {
		b.set(b.elements(b.arg(0))[b.element(c, b.in.Operands[1:])])
		return
	}
	whole := b.leaves(b.arg(0))
	start, t := b.leafRange(b.typeOf(b.arg(0)), b.in.Operands[1:])
	b.set(whole[start : start+len(b.leafTypes(t))]...)
}

func (b *maths) compositeInsert() {
	if c := b.coop(b.typeOf(b.arg(1))); c != nil {
		out := append([]*ir.Value(nil), b.elements(b.arg(1))...)
		out[b.element(c, b.in.Operands[2:])] = b.scalarOf(b.arg(0))
		b.setElements(out...)
		return
	}
	object := b.leaves(b.arg(0))
	out := append([]*ir.Value(nil), b.leaves(b.arg(1))...)
	start, t := b.leafRange(b.typeOf(b.arg(1)), b.in.Operands[2:])
	if len(object) != len(b.leafTypes(t)) {
		b.invalid("the object is not of the part's type")
	}
	copy(out[start:], object)
	b.set(out...)
}

func (b *maths) vectorShuffle() {
	both := append(append([]*ir.Value(nil), b.leaves(b.arg(0))...), b.leaves(b.arg(1))...)
	var out []*ir.Value
	for _, i := range b.in.Operands[2:] {
		switch {
		case i == 0xffffffff: // no source: any value
			out = append(out, b.undef(both[0].R))
		case int64(i) >= int64(len(both)):
			b.invalid("component %d of %d", i, len(both))
		default:
			out = append(out, both[i])
		}
	}
	b.set(out...)
}

func (b *maths) vectorExtract() {
	v, i := b.leaves(b.arg(0)), b.scalarOf(b.arg(1))
	if len(v) == 0 {
		b.invalid("no components")
	}
	if i.Op == isa.Const {
		b.set(v[min(i.Imm, uint64(len(v)-1))])
		return
	}
	b.set(b.choose(i, v, 1)...)
}

func (b *maths) vectorInsert() {
	v, x, i := b.leaves(b.arg(0)), b.scalarOf(b.arg(1)), b.scalarOf(b.arg(2))
	out := make([]*ir.Value, len(v))
	for k := range v {
		is := b.compare(isa.IEq, i.R, i, b.constant(i.R, uint64(k)))
		out[k] = b.selectValue(is, x, v[k])
	}
	b.set(out...)
}

// A matrix is a list of columns. Its type gives the number of rows.
type matrix [][]*ir.Value

func (b *maths) matrix(id spirv.ID) matrix {
	t := b.typeOf(id)
	if t.Kind != validate.KindMatrix {
		b.invalid("%%%d is not a matrix", id)
	}
	return columns(b.leaves(id), t.Elem.Count)
}

func columns(leaves []*ir.Value, rows int) matrix {
	var m matrix
	for i := 0; i+rows <= len(leaves); i += rows {
		m = append(m, leaves[i:i+rows])
	}
	return m
}

func (m matrix) row(i int) []*ir.Value {
	return lists.Map(m, func(v []*ir.Value) *ir.Value { return v[i] })
}

func (m matrix) leaves() []*ir.Value {
	return slices.Concat(m...)
}

func (m matrix) transposed() matrix {
	var out matrix
	for i := range m[0] {
		out = append(out, m.row(i))
	}
	return out
}

func (b *maths) transpose() { b.set(b.matrix(b.arg(0)).transposed().leaves()...) }

func (b *maths) timesScalar() {
	v, s := b.elements(b.arg(0)), b.scalarOf(b.arg(1))
	multiply := isa.FMul
	if !s.R.IsFloat() { // of a cooperative matrix
		multiply = isa.IMul
	}
	b.setElements(b.components(len(v), func(i int) *ir.Value { return b.op(multiply, v[i].R, v[i], s) })...)
}

func (b *maths) matrixTimesVector() {
	b.set(b.mulVector(b.matrix(b.arg(0)), b.leaves(b.arg(1)))...)
}

// mulVector sums column times component, first column first.
func (b *maths) mulVector(m matrix, v []*ir.Value) []*ir.Value {
	if len(m) != len(v) {
		b.invalid("%d columns times %d components", len(m), len(v))
	}
	return b.components(len(m[0]), func(i int) *ir.Value { return b.dot(m.row(i), v) })
}

func (b *maths) vectorTimesMatrix() {
	v, m := b.leaves(b.arg(0)), b.matrix(b.arg(1))
	out := make([]*ir.Value, len(m))
	for c := range m {
		out[c] = b.dot(v, m[c])
	}
	b.set(out...)
}

func (b *maths) matrixTimesMatrix() {
	x, y := b.matrix(b.arg(0)), b.matrix(b.arg(1))
	var out []*ir.Value
	for _, column := range y {
		out = append(out, b.mulVector(x, column)...)
	}
	b.set(out...)
}

func (b *maths) outerProduct() {
	x, y := b.leaves(b.arg(0)), b.leaves(b.arg(1))
	var out []*ir.Value
	for _, s := range y {
		for _, v := range x {
			out = append(out, b.op(isa.FMul, v.R, v, s))
		}
	}
	b.set(out...)
}

// choose picks the i-th group of n leaves; the last one when i is outside.
func (b *maths) choose(i *ir.Value, leaves []*ir.Value, n int) []*ir.Value {
	last := len(leaves) - n
	out := append([]*ir.Value(nil), leaves[last:]...)
	for k := last - n; k >= 0; k -= n {
		is := b.compare(isa.IEq, i.R, i, b.constant(i.R, uint64(k/n)))
		for j := range out {
			out[j] = b.selectValue(is, leaves[k+j], out[j])
		}
	}
	return out
}

// floats returns n components of a value.
func (b *maths) floats(id spirv.ID, n int) []*ir.Value {
	v := b.leaves(id)
	if len(v) < n {
		b.invalid("%%%d has %d components, want %d", id, len(v), n)
	}
	for _, x := range v[:n] {
		if x.R != isa.F32 {
			b.unsupported("coordinates of type %s", x.R)
		}
	}
	return v[:n]
}
