package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

func compositeRows() map[spirv.Op]row {
	return map[spirv.Op]row{
		spirv.OpCompositeConstruct:   pure((*builder).compositeConstruct),
		spirv.OpCompositeExtract:     pure((*builder).compositeExtract),
		spirv.OpCompositeInsert:      pure((*builder).compositeInsert),
		spirv.OpVectorShuffle:        pure((*builder).vectorShuffle),
		spirv.OpVectorExtractDynamic: pure((*builder).vectorExtract),
		spirv.OpVectorInsertDynamic:  pure((*builder).vectorInsert),
		spirv.OpCopyObject:           pure(func(b *builder) { b.define(b.val(b.arg(0))) }),
		spirv.OpCopyLogical:          pure(func(b *builder) { b.set(b.leaves(b.arg(0))...) }),
		spirv.OpUndef:                pure((*builder).undefined),
		spirv.OpTranspose:            pure((*builder).transpose),
		spirv.OpVectorTimesScalar:    pure((*builder).timesScalar),
		spirv.OpMatrixTimesScalar:    pure((*builder).timesScalar),
		spirv.OpMatrixTimesVector:    pure((*builder).matrixTimesVector),
		spirv.OpVectorTimesMatrix:    pure((*builder).vectorTimesMatrix),
		spirv.OpMatrixTimesMatrix:    pure((*builder).matrixTimesMatrix),
		spirv.OpOuterProduct:         pure((*builder).outerProduct),
	}
}

func (b *builder) compositeConstruct() {
	var out []*ir.Value
	for i := range b.in.Operands {
		out = append(out, b.leaves(b.arg(i))...)
	}
	b.set(out...)
}

// part finds the leaves of a composite that literal indexes select: where they
// start, and their type.
func (b *builder) part(t *validate.Type, indexes []uint32) (start int, _ *validate.Type) {
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

func (b *builder) compositeExtract() {
	whole := b.leaves(b.arg(0))
	start, t := b.part(b.typeOf(b.arg(0)), b.in.Operands[1:])
	b.set(whole[start : start+len(b.leafTypes(t))]...)
}

func (b *builder) compositeInsert() {
	object := b.leaves(b.arg(0))
	out := append([]*ir.Value(nil), b.leaves(b.arg(1))...)
	start, t := b.part(b.typeOf(b.arg(1)), b.in.Operands[2:])
	if len(object) != len(b.leafTypes(t)) {
		b.invalid("the object is not of the part's type")
	}
	copy(out[start:], object)
	b.set(out...)
}

func (b *builder) vectorShuffle() {
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

func (b *builder) vectorExtract() {
	v, i := b.leaves(b.arg(0)), b.leaf(b.arg(1))
	if len(v) == 0 {
		b.invalid("no components")
	}
	if i.Op == isa.Const {
		b.set(v[min(i.Imm, uint64(len(v)-1))])
		return
	}
	b.set(b.choose(i, v, 1)...)
}

func (b *builder) vectorInsert() {
	v, x, i := b.leaves(b.arg(0)), b.leaf(b.arg(1)), b.leaf(b.arg(2))
	out := make([]*ir.Value, len(v))
	for k := range v {
		is := b.cmp(isa.IEq, i.R, i, b.cnst(i.R, uint64(k)))
		out[k] = b.sel(is, x, v[k])
	}
	b.set(out...)
}

// A matrix is its columns. Its type gives the number of rows.
type matrix [][]*ir.Value

func (b *builder) matrix(id spirv.ID) matrix {
	t := b.typeOf(id)
	if t.Kind != validate.KindMatrix {
		b.invalid("%%%d is no matrix", id)
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
	out := make([]*ir.Value, len(m))
	for c := range m {
		out[c] = m[c][i]
	}
	return out
}

func (m matrix) leaves() []*ir.Value {
	var out []*ir.Value
	for _, c := range m {
		out = append(out, c...)
	}
	return out
}

func (m matrix) transposed() matrix {
	var out matrix
	for i := range m[0] {
		out = append(out, m.row(i))
	}
	return out
}

func (b *builder) transpose() { b.set(b.matrix(b.arg(0)).transposed().leaves()...) }

func (b *builder) timesScalar() {
	v, s := b.leaves(b.arg(0)), b.leaf(b.arg(1))
	out := make([]*ir.Value, len(v))
	for i := range v {
		out[i] = b.op(isa.FMul, v[i].R, v[i], s)
	}
	b.set(out...)
}

func (b *builder) matrixTimesVector() {
	b.set(b.mulVector(b.matrix(b.arg(0)), b.leaves(b.arg(1)))...)
}

// mulVector sums column times component, first column first.
func (b *builder) mulVector(m matrix, v []*ir.Value) []*ir.Value {
	if len(m) != len(v) {
		b.invalid("%d columns times %d components", len(m), len(v))
	}
	out := make([]*ir.Value, len(m[0]))
	for i := range out {
		out[i] = b.dot(m.row(i), v)
	}
	return out
}

func (b *builder) vectorTimesMatrix() {
	v, m := b.leaves(b.arg(0)), b.matrix(b.arg(1))
	out := make([]*ir.Value, len(m))
	for c := range m {
		out[c] = b.dot(v, m[c])
	}
	b.set(out...)
}

func (b *builder) matrixTimesMatrix() {
	x, y := b.matrix(b.arg(0)), b.matrix(b.arg(1))
	var out []*ir.Value
	for _, column := range y {
		out = append(out, b.mulVector(x, column)...)
	}
	b.set(out...)
}

func (b *builder) outerProduct() {
	x, y := b.leaves(b.arg(0)), b.leaves(b.arg(1))
	var out []*ir.Value
	for _, s := range y {
		for _, v := range x {
			out = append(out, b.op(isa.FMul, v.R, v, s))
		}
	}
	b.set(out...)
}
