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
//   - x / c is x times 1/c, and quotients of one divisor multiply by one reciprocal (lower_fdiv);
//   - x / sqrt(y) is x * rsq(y), x / rsq(y) is x * sqrt(y).
//
// A single quotient stays one operation, whose result is the nearest number.
func inexact(f *ir.Func, o Options) bool {
	if o.SelectBuffers || o.Precise || f.Kernel {
		return false
	}
	s := &approximator{folder: &folder{f: f, o: o, pool: newPool(f), names: newRenaming(f)}, quotients: map[*ir.Value]int{}}
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
	quotients map[*ir.Value]int // by divisor
}

// allowed reports a float operation whose last bits are free. Operations on f64 are sequences of their own.
func (s *approximator) allowed(v *ir.Value) bool {
	return (v.T == isa.F32 || v.T == isa.F16) && !v.NoContract && !v.Native && s.f.PreservedWidths&uint32(v.T.Bits()) == 0
}

func (s *approximator) block(b *ir.Block) {
	s.out = make([]*ir.Value, 0, len(b.Code)+8)
	for _, v := range b.Code {
		s.names.args(v)
		s.current = v
		if w := s.approximate(v); w != nil {
			s.names.set(v, w)
			s.changed = true
			continue
		}
		s.out = append(s.out, v)
	}
	b.Code = s.out
}

// approximate returns what replaces v; nil if nothing does.
func (s *approximator) approximate(v *ir.Value) *ir.Value {
	switch v.Op {
	case isa.FMul, isa.FAdd, isa.FSub, isa.FDiv:
	default:
		return nil
	}
	if !s.allowed(v) {
		return nil
	}
	x, y := v.Args[0], v.Args[1]
	switch {
	case v.Op == isa.FMul && float(y, 1) == 0:
		return s.float(v.T, 0)
	case v.Op == isa.FAdd && float(y, 1) == 0:
		return x
	case v.Op == isa.FAdd && float(x, 1) == 0:
		return y
	case v.Op == isa.FSub && float(x, 1) == 0:
		return s.emit(isa.FNeg, v.T, y)
	case v.Op == isa.FDiv:
		return s.quotient(v, x, y)
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
	case s.quotients[y] > 1:
		inverse = s.emit(isa.Rcp, v.T, y)
	default:
		return nil
	}
	return s.emit(isa.FMul, v.T, x, inverse)
}
