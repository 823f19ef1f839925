package frontend

import (
	"math"

	"spvsim/internal/lists"
	"spvsim/isa"
	"spvsim/program/ir"
)

// float returns a floating-point constant of type t.
func (b *maths) float(t isa.Type, x float64) *ir.Value {
	switch t {
	case isa.F64:
		return b.constant(t, math.Float64bits(x))
	case isa.F32:
		return b.constant(t, uint64(math.Float32bits(float32(x))))
	}
	return b.constant(t, isa.Eval(isa.FConvert, t, isa.F64, 0, math.Float64bits(x)))
}

// apply applies a one-source operation to each component.
func (b *maths) apply(op isa.Op, x []*ir.Value) []*ir.Value {
	return b.zip([][]*ir.Value{x}, func(a []*ir.Value) *ir.Value { return b.op(op, a[0].R, a[0]) })
}

// combine applies a two-source operation to each pair of components.
func (b *maths) combine(op isa.Op, x, y []*ir.Value) []*ir.Value {
	return b.zip([][]*ir.Value{x, y}, func(a []*ir.Value) *ir.Value { return b.op(op, a[0].R, a[0], a[1]) })
}

// scaled multiplies each component by one factor.
func (b *maths) scaled(x []*ir.Value, s *ir.Value) []*ir.Value {
	return b.zip([][]*ir.Value{x}, func(a []*ir.Value) *ir.Value { return b.op(isa.FMul, s.R, a[0], s) })
}

func scaleBy(factor float64) func(b *maths, t isa.Type, a []*ir.Value) *ir.Value {
	return func(b *maths, t isa.Type, a []*ir.Value) *ir.Value {
		return b.op(isa.FMul, t, a[0], b.float(t, factor))
	}
}

// mix returns x (1 - a) + y a, in the order of the specification.
func mix(b *maths, t isa.Type, a []*ir.Value) *ir.Value {
	rest := b.op(isa.FSub, t, b.float(t, 1), a[2])
	return b.op(isa.FAdd, t, b.op(isa.FMul, t, a[0], rest), b.op(isa.FMul, t, a[1], a[2]))
}

// step returns 0 if x is below the edge, else 1.
func step(b *maths, t isa.Type, a []*ir.Value) *ir.Value {
	return b.selectValue(b.compare(isa.FOrdLt, t, a[1], a[0]), b.float(t, 0), b.float(t, 1))
}

func smoothStep(b *maths, t isa.Type, a []*ir.Value) *ir.Value {
	x := b.op(isa.FDiv, t, b.op(isa.FSub, t, a[2], a[0]), b.op(isa.FSub, t, a[1], a[0]))
	x = b.op(isa.FMin, t, b.op(isa.FMax, t, x, b.float(t, 0)), b.float(t, 1))
	slope := b.op(isa.FSub, t, b.float(t, 3), b.op(isa.FMul, t, b.float(t, 2), x))
	return b.op(isa.FMul, t, b.op(isa.FMul, t, x, x), slope)
}

func (b *maths) length(x []*ir.Value) *ir.Value {
	if len(x) == 1 {
		return b.op(isa.FAbs, x[0].R, x[0])
	}
	return b.op(isa.Sqrt, x[0].R, b.dot(x, x))
}

func (b *maths) normalize() {
	x := b.x(0)
	if len(x) == 1 {
		b.set(b.op(isa.FSign, x[0].R, x[0]))
		return
	}
	b.set(b.scaled(x, b.op(isa.Rsq, x[0].R, b.dot(x, x)))...)
}

func (b *maths) cross() {
	x, y := b.x(0), b.x(1)
	if len(x) != 3 || len(y) != 3 {
		b.invalid("a cross product of %d and %d components", len(x), len(y))
	}
	t := x[0].R
	out := make([]*ir.Value, 3)
	for i := range out {
		j, k := (i+1)%3, (i+2)%3
		out[i] = b.op(isa.FSub, t, b.op(isa.FMul, t, x[j], y[k]), b.op(isa.FMul, t, y[j], x[k]))
	}
	b.set(out...)
}

// faceForward returns N if the dot product of Nref and I is negative, else -N.
func (b *maths) faceForward() {
	n, i, ref := b.x(0), b.x(1), b.x(2)
	t := n[0].R
	toward := b.compare(isa.FOrdLt, t, b.dot(ref, i), b.float(t, 0))
	b.set(b.zip([][]*ir.Value{n}, func(a []*ir.Value) *ir.Value {
		return b.selectValue(toward, a[0], b.op(isa.FNeg, t, a[0]))
	})...)
}

// reflect returns I - 2 dot(N, I) N.
func (b *maths) reflect() {
	i, n := b.x(0), b.x(1)
	t := i[0].R
	twice := b.op(isa.FMul, t, b.float(t, 2), b.dot(n, i))
	b.set(b.combine(isa.FSub, i, b.scaled(n, twice))...)
}

// refract returns 0 if k is negative, else eta I - (eta dot(N, I) + sqrt(k)) N, with k = 1 - eta^2 (1 - dot(N, I)^2).
func (b *maths) refract() {
	i, n, eta := b.x(0), b.x(1), b.scalarOf(b.arg(4))
	t := i[0].R
	if eta.R != t {
		eta = b.conv(isa.FConvert, eta.R, t, eta)
	}
	d, one := b.dot(n, i), b.float(t, 1)
	sine := b.op(isa.FSub, t, one, b.op(isa.FMul, t, d, d))
	k := b.op(isa.FSub, t, one, b.op(isa.FMul, t, b.op(isa.FMul, t, eta, eta), sine))
	factor := b.op(isa.FAdd, t, b.op(isa.FMul, t, eta, d), b.op(isa.Sqrt, t, k))
	v := b.combine(isa.FSub, b.scaled(i, eta), b.scaled(n, factor))
	none := b.compare(isa.FOrdLt, t, k, b.float(t, 0))
	b.set(b.zip([][]*ir.Value{v}, func(a []*ir.Value) *ir.Value { return b.selectValue(none, b.float(t, 0), a[0]) })...)
}

// minor returns the matrix without a column and a row.
func (m matrix) minor(column, row int) matrix {
	var out matrix
	for c := range m {
		if c == column {
			continue
		}
		var rest []*ir.Value
		for r, v := range m[c] {
			if r != row {
				rest = append(rest, v)
			}
		}
		out = append(out, rest)
	}
	return out
}

// determinant expands along the first column.
func (b *maths) determinant(m matrix) *ir.Value {
	if len(m) != len(m[0]) {
		b.invalid("the matrix is not square")
	}
	if len(m) == 1 {
		return m[0][0]
	}
	t := m[0][0].R
	var sum *ir.Value
	for r, v := range m[0] {
		term := b.op(isa.FMul, t, v, b.determinant(m.minor(0, r)))
		switch {
		case sum == nil:
			sum = term
		case r%2 == 1:
			sum = b.op(isa.FSub, t, sum, term)
		default:
			sum = b.op(isa.FAdd, t, sum, term)
		}
	}
	return sum
}

// inverse divides the adjugate by the determinant.
func (b *maths) inverse() {
	m := b.matrix(b.arg(2))
	t := m[0][0].R
	over := b.op(isa.FDiv, t, b.float(t, 1), b.determinant(m))
	var out []*ir.Value
	for c := range m {
		for r := range m[c] {
			v := b.op(isa.FMul, t, b.determinant(m.minor(r, c)), over)
			if (c+r)%2 == 1 {
				v = b.op(isa.FNeg, t, v)
			}
			out = append(out, v)
		}
	}
	b.set(out...)
}

// packNorm packs normalised numbers: clamped, scaled, rounded to even.
func (b *maths) packNorm(width uint, signed bool) {
	low, top, toInt := 0.0, float64(uint64(1)<<width-1), isa.FToU
	if signed {
		low, top, toInt = -1, float64(uint64(1)<<(width-1)-1), isa.FToS
	}
	var parts []*ir.Value
	for _, v := range b.x(0) {
		t := v.R
		v = b.op(isa.FMin, t, b.op(isa.FMax, t, v, b.float(t, low)), b.float(t, 1))
		v = b.op(isa.RoundEven, t, b.op(isa.FMul, t, v, b.float(t, top)))
		whole := b.conv(toInt, t, isa.I32, v)
		parts = append(parts, b.conv(isa.UConvert, isa.I32, isa.IntType(width), whole))
	}
	b.set(b.recast(parts, leafList{isa.I32})...)
}

func (b *maths) unpackNorm(width uint, signed bool) {
	t := b.comp(b.resultType())
	part := isa.IntType(width)
	types := make(leafList, 32/width)
	for i := range types {
		types[i] = part
	}
	out := lists.Map(b.recast(b.x(0), types), func(v *ir.Value) *ir.Value { return b.normal(v, t, width, signed) })
	b.set(out...)
}

// normal turns a normalised integer into a float between -1 or 0 and 1.
func (b *maths) normal(v *ir.Value, t isa.Type, width uint, signed bool) *ir.Value {
	if !signed {
		x := b.conv(isa.UToF, isa.I32, t, b.conv(isa.UConvert, v.R, isa.I32, v))
		return b.op(isa.FDiv, t, x, b.float(t, float64(uint64(1)<<width-1)))
	}
	x := b.conv(isa.SToF, isa.I32, t, b.conv(isa.SConvert, v.R, isa.I32, v))
	x = b.op(isa.FDiv, t, x, b.float(t, float64(uint64(1)<<(width-1)-1)))
	return b.op(isa.FMin, t, b.op(isa.FMax, t, x, b.float(t, -1)), b.float(t, 1))
}

func (b *maths) packHalf() {
	parts := lists.Map(b.x(0), func(v *ir.Value) *ir.Value { return b.conv(isa.FConvert, v.R, isa.F16, v) })
	b.set(b.packHalves(parts))
}

func (b *maths) unpackHalf() {
	var out []*ir.Value
	for _, v := range b.recast(b.x(0), leafList{isa.F16, isa.F16}) {
		out = append(out, b.conv(isa.FConvert, isa.F16, isa.F32, v))
	}
	b.set(out...)
}
