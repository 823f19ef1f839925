package opt

import (
	"math"

	"spvsim/isa"
	"spvsim/program/ir"
)

// inexact applies Mesa's rules for floats that need not keep every bit (those of nir_opt_algebraic with a ~), where neither
// NoContraction nor the entry point's float controls forbid it. Builds of HIP and OpenCL have none of them.
//
//   - x * 0 is 0, x + 0 is x, 0 - x is -x;
//   - (x + c) + d is x + (c + d), (x * c) * d is x * (c * d), (x * c) * y is (x * y) * c;
//   - a*b + a*c is a * (b + c), and a multiply-add of a multiply-add with one factor in common adds the other ones first;
//   - x / c is x times 1/c, 1 / x is a reciprocal, and quotients of one divisor multiply by one reciprocal (lower_fdiv);
//   - x / sqrt(y) is x * rsq(y), x / rsq(y) is x * sqrt(y), sqrt(x) * sqrt(x) is |x|;
//   - powers of 1/2, 1, 2 and 4 are roots and products, exp2(x) * exp2(y) is exp2(x + y);
//   - mix(x, y, t) is x + t*(y - x), and round rounds to even.
//
// A single quotient stays one operation, whose result is the nearest number.
func inexact(f *ir.Func, o Options) bool {
	if o.SelectBuffers || o.Precise || f.Kernel {
		return false
	}
	s := &approximator{folder: &folder{f: f, o: o, pool: newPool(f), names: newRenaming(f)}, u: newUses(f), quotients: map[*ir.Value]int{}}
	eachValue(f, func(v *ir.Value) {
		if v.Op == isa.FDiv && s.allowed(v) {
			s.quotients[v.Args[1]]++
		}
	})
	for _, b := range f.Blocks {
		s.block(b)
	}
	changed := s.names.apply(f) || s.changed
	s.pool.flush()
	return changed
}

type approximator struct {
	*folder
	u         *uses
	quotients map[*ir.Value]int // by divisor
}

// allowed reports a float operation whose last bits are free. Of f64, only multiply-adds are no sequences of their own.
func (s *approximator) allowed(v *ir.Value) bool {
	narrow := v.T == isa.F32 || v.T == isa.F16
	return (narrow || v.T == isa.F64 && v.Op == isa.Fma) && !v.NoContract && !v.Native && s.f.PreservedWidths&uint32(v.T.Bits()) == 0
}

func (s *approximator) block(b *ir.Block) {
	s.out = make([]*ir.Value, 0, len(b.Code)+8)
	for _, v := range b.Code {
		s.names.args(v)
		s.current = v
		if rule := approximations[v.Op]; rule != nil && s.allowed(v) {
			if w := rule(s, v); w != nil {
				s.names.set(v, w)
				s.changed = true
				continue
			}
		}
		s.out = append(s.out, v)
	}
	b.Code = s.out
}

// approximations has the rules by operation. They return what replaces v, or nil: nothing does, or they changed v itself.
var approximations = map[isa.Op]func(s *approximator, v *ir.Value) *ir.Value{
	isa.FMul: (*approximator).product, isa.FAdd: (*approximator).sum, isa.Fma: (*approximator).multiplyAdd,
	isa.FSub: func(s *approximator, v *ir.Value) *ir.Value {
		if float(v.Args[0], 1) == 0 {
			return s.emit(isa.FNeg, v.T, v.Args[1])
		}
		return nil
	},
	isa.FDiv: func(s *approximator, v *ir.Value) *ir.Value { return s.quotient(v, v.Args[0], v.Args[1]) },
	isa.FMod: (*approximator).remainder, isa.Pow: (*approximator).power,
	isa.Round: func(s *approximator, v *ir.Value) *ir.Value { return s.emit(isa.RoundEven, v.T, v.Args[0]) },
}

// inner reports an operand of the same type that may be taken apart.
func (s *approximator) inner(v, x *ir.Value, op isa.Op) bool {
	return x.Op == op && x.T == v.T && s.allowed(x)
}

// single reports an operand that nothing but v uses. Uses are those before the pass.
func (s *approximator) single(x *ir.Value) bool {
	return x.ID < len(s.u.conds) && s.u.count(x) == 1
}

func (s *approximator) replaceBy(v *ir.Value, op isa.Op, args ...*ir.Value) *ir.Value {
	v.Op, v.Args, s.changed = op, args, true
	return nil
}

func (s *approximator) product(v *ir.Value) *ir.Value {
	x, y := v.Args[0], v.Args[1]
	switch {
	case float(y, 1) == 0:
		return s.float(v.T, 0)
	case s.inner(v, x, isa.FMul) && x.Args[1].Op == isa.Const && y.Op == isa.Const:
		return s.emit(isa.FMul, v.T, x.Args[0], s.float(v.T, float(x.Args[1], 0)*float(y, 0)))
	case x == y && s.inner(v, x, isa.Sqrt):
		return s.emit(isa.FAbs, v.T, x.Args[0])
	case s.inner(v, x, isa.Exp2) && s.inner(v, y, isa.Exp2) && s.single(x) && s.single(y):
		return s.emit(isa.Exp2, v.T, s.emit(isa.FAdd, v.T, x.Args[0], y.Args[0]))
	}
	for i, p := range v.Args {
		if c := v.Args[1-i]; s.inner(v, p, isa.FMul) && p.Args[1].Op == isa.Const && c.Op != isa.Const && s.single(p) {
			return s.emit(isa.FMul, v.T, s.emit(isa.FMul, v.T, p.Args[0], c), p.Args[1])
		}
	}
	return nil
}

func (s *approximator) sum(v *ir.Value) *ir.Value {
	x, y := v.Args[0], v.Args[1]
	switch {
	case float(y, 1) == 0:
		return x
	case float(x, 1) == 0:
		return y
	case s.inner(v, x, isa.FAdd) && x.Args[1].Op == isa.Const && y.Op == isa.Const:
		return s.emit(isa.FAdd, v.T, x.Args[0], s.float(v.T, float(x.Args[1], 0)+float(y, 0)))
	case !s.inner(v, x, isa.FMul) || !s.inner(v, y, isa.FMul):
		return nil
	}
	if w := s.interpolation(v, x, y); w != nil {
		return w
	}
	if a, b, c := common(x, y); a != nil {
		return s.replaceBy(v, isa.FMul, a, s.emit(isa.FAdd, v.T, b, c))
	}
	return nil
}

// common returns a factor that two products, or multiply-adds, have in common, and the other factor of each.
func common(x, y *ir.Value) (factor, ofX, ofY *ir.Value) {
	for i, a := range x.Args[:2] {
		for j, b := range y.Args[:2] {
			if a == b {
				return a, x.Args[1-i], y.Args[1-j]
			}
		}
	}
	return nil, nil, nil
}

// interpolation rewrites the source's mix, x*(1-t) + y*t.
func (s *approximator) interpolation(v, p, q *ir.Value) *ir.Value {
	rest, t := p.Args[1], q.Args[1]
	if v.SPIRV == 0 || p.SPIRV != v.SPIRV || q.SPIRV != v.SPIRV || !s.inner(v, rest, isa.FSub) || rest.SPIRV != v.SPIRV || rest.Args[1] != t || float(rest.Args[0], 0) != 1 ||
		!s.single(p) || !s.single(q) {
		return nil
	}
	x, y := p.Args[0], q.Args[0]
	return s.emit(isa.FAdd, v.T, s.emit(isa.FMul, v.T, t, s.emit(isa.FSub, v.T, y, x)), x)
}

// multiplyAdd makes a*b + (a*c + d), where nothing else uses the inner one, a*(b+c) + d. Sums of equal factors are then
// computed once for all chains that have them.
func (s *approximator) multiplyAdd(v *ir.Value) *ir.Value {
	inside := v.Args[2]
	if !s.inner(v, inside, isa.Fma) || !s.single(inside) {
		return nil
	}
	if a, b, c := common(v, inside); a != nil {
		return s.replaceBy(v, isa.Fma, a, s.emit(isa.FAdd, v.T, b, c), inside.Args[2])
	}
	return nil
}

// remainder multiplies by the reciprocal of a constant divisor.
func (s *approximator) remainder(v *ir.Value) *ir.Value {
	x, y := v.Args[0], v.Args[1]
	c := 1 / float(y, 0)
	if c == 0 || math.IsInf(c, 0) || math.IsNaN(c) {
		return nil
	}
	whole := s.emit(isa.Floor, v.T, s.emit(isa.FMul, v.T, x, s.float(v.T, c)))
	return s.emit(isa.FSub, v.T, x, s.emit(isa.FMul, v.T, whole, y))
}

func (s *approximator) power(v *ir.Value) *ir.Value {
	x := v.Args[0]
	switch float(v.Args[1], math.NaN()) {
	case 0.5:
		return s.emit(isa.Sqrt, v.T, x)
	case 1:
		return x
	case 2:
		return s.emit(isa.FMul, v.T, x, x)
	case 4:
		square := s.emit(isa.FMul, v.T, x, x)
		return s.emit(isa.FMul, v.T, square, square)
	}
	return nil
}

func (s *approximator) quotient(v, x, y *ir.Value) *ir.Value {
	inverse := (*ir.Value)(nil)
	switch {
	case y.Op == isa.Const:
		c := 1 / float(y, 0)
		if c == 0 || math.IsInf(c, 0) || math.IsNaN(c) {
			return nil
		}
		inverse = s.float(v.T, c)
	case y.Op == isa.Sqrt && s.allowed(y):
		inverse = s.emit(isa.Rsq, v.T, y.Args[0])
	case y.Op == isa.Rsq && s.allowed(y):
		inverse = s.emit(isa.Sqrt, v.T, y.Args[0])
	case float(x, 0) == 1, s.quotients[y] > 1:
		inverse = s.emit(isa.Rcp, v.T, y)
	default:
		return nil
	}
	return s.emit(isa.FMul, v.T, x, inverse)
}
