package opencl

import (
	"spvsim/isa"
	"spvsim/spirv"
)

var geometricRows = map[spirv.OpenCLstd]Row{
	spirv.OpenCLstdCross:         {Operands: 2, vector: code.cross},
	spirv.OpenCLstdLength:        {Operands: 1, vector: func(c code, call Call) [][]value { return one(c.length(call.Args[0])) }},
	spirv.OpenCLstdDistance:      {Operands: 2, vector: func(c code, call Call) [][]value { return one(c.length(c.differences(call))) }},
	spirv.OpenCLstdNormalize:     {Operands: 1, vector: func(c code, call Call) [][]value { return [][]value{c.normalize(call.Args[0])} }},
	spirv.OpenCLstdFastLength:    {Operands: 1, vector: func(c code, call Call) [][]value { return one(c.fastLength(call.Args[0])) }},
	spirv.OpenCLstdFastDistance:  {Operands: 2, vector: func(c code, call Call) [][]value { return one(c.fastLength(c.differences(call))) }},
	spirv.OpenCLstdFastNormalize: {Operands: 1, vector: code.fastNormalize},
}

func one(x value) [][]value { return [][]value{{x}} }

func (c code) differences(call Call) []value {
	out := make([]value, len(call.Args[0]))
	for i, x := range call.Args[0] {
		out[i] = c.sub(x, call.Args[1][min(i, len(call.Args[1])-1)])
	}
	return out
}

// cross has as a fourth component 0.
func (c code) cross(call Call) [][]value {
	x, y := call.Args[0], call.Args[1]
	out := make([]value, len(x))
	for i := range out {
		if i >= 3 {
			out[i] = c.f(0)
			continue
		}
		j, k := (i+1)%3, (i+2)%3
		out[i] = c.fma(x[j], y[k], c.neg(c.mul(x[k], y[j])))
	}
	return [][]value{out}
}

func (c code) squares(x []value) value {
	sum := c.mul(x[0], x[0])
	for _, v := range x[1:] {
		sum = c.fma(v, v, sum)
	}
	return sum
}

func (c code) fastLength(x []value) value { return c.native(isa.Sqrt, c.squares(x)) }

// scaled divides a vector by a power of two near its largest component, so that no square is too large or too small.
func (c code) scaled(x []value) (out []value, exponent value) {
	most := c.abs(x[0])
	for _, v := range x[1:] {
		most = c.op(isa.FMax, most, c.abs(v))
	}
	e := c.mantissaExponent(most)
	down := c.emit(isa.INeg, isa.I32, e)
	for _, v := range x {
		out = append(out, c.ldexp(v, down))
	}
	return out, e
}

func (c code) length(x []value) value {
	s, e := c.scaled(x)
	return c.ldexp(c.sqrt(c.squares(s)), e)
}

// normalize leaves a vector of zeros. Of a vector with infinities, these count as ones, and the rest as zeros.
func (c code) normalize(x []value) []value {
	infinite := c.isInf(x[0])
	for _, v := range x[1:] {
		infinite = c.or(infinite, c.isInf(v))
	}
	finite := make([]value, len(x))
	for i, v := range x {
		ends := c.copySign(c.choose(c.isInf(v), c.f(1), c.f(0)), v)
		finite[i] = c.choose(infinite, c.withNaN(ends, v), v)
	}
	s, _ := c.scaled(finite)
	sum := c.squares(s)
	r := c.native(isa.Rsq, sum)
	for i := range s {
		s[i] = c.choose(c.is(sum, 0), x[i], c.mul(s[i], r))
	}
	return s
}

func (c code) fastNormalize(call Call) [][]value {
	sum := c.squares(call.Args[0])
	r := c.native(isa.Rsq, sum)
	out := make([]value, len(call.Args[0]))
	for i, x := range call.Args[0] {
		out[i] = c.choose(c.is(sum, 0), x, c.mul(x, r))
	}
	return [][]value{out}
}
