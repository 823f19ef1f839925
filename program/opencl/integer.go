package opencl

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
)

// plain is the row of an instruction that is one operation.
func plain(op isa.Op) Row {
	return Row{Operands: isa.NumSources(op), scalar: func(c code, x []value) []value { return []value{c.op(op, x...)} }}
}

func unary(f func(c code, x value) value) Row {
	return Row{Operands: 1, scalar: func(c code, x []value) []value { return []value{f(c, x[0])} }}
}

func binary(f func(c code, x, y value) value) Row {
	return Row{Operands: 2, scalar: func(c code, x []value) []value { return []value{f(c, x[0], x[1])} }}
}

func ternary(f func(c code, x, y, z value) value) Row {
	return Row{Operands: 3, scalar: func(c code, x []value) []value { return []value{f(c, x[0], x[1], x[2])} }}
}

// clamp is min(max(x, low), high).
func clamp(low, high isa.Op) Row {
	return ternary(func(c code, x, least, most value) value { return c.op(high, c.op(low, x, least), most) })
}

var integerRows = map[spirv.OpenCLstd]Row{
	spirv.OpenCLstdSAbs:     plain(isa.SAbs),
	spirv.OpenCLstdUAbs:     unary(func(c code, x value) value { return x }),
	spirv.OpenCLstdSAbsDiff: binary(func(c code, x, y value) value { return c.op(isa.ISub, c.op(isa.SMax, x, y), c.op(isa.SMin, x, y)) }),
	spirv.OpenCLstdUAbsDiff: binary(func(c code, x, y value) value { return c.op(isa.ISub, c.op(isa.UMax, x, y), c.op(isa.UMin, x, y)) }),
	spirv.OpenCLstdSAddSat:  binary(code.addSigned),
	spirv.OpenCLstdUAddSat:  binary(code.addUnsigned),
	spirv.OpenCLstdSSubSat:  binary(code.subSigned),
	spirv.OpenCLstdUSubSat:  binary(func(c code, x, y value) value { return c.op(isa.ISub, x, c.op(isa.UMin, x, y)) }),
	spirv.OpenCLstdSHadd:    binary(func(c code, x, y value) value { return c.average(isa.Sar, x, y) }),
	spirv.OpenCLstdUHadd:    binary(func(c code, x, y value) value { return c.average(isa.Shr, x, y) }),
	spirv.OpenCLstdSRhadd:   binary(func(c code, x, y value) value { return c.averageUp(isa.Sar, x, y) }),
	spirv.OpenCLstdURhadd:   binary(func(c code, x, y value) value { return c.averageUp(isa.Shr, x, y) }),
	spirv.OpenCLstdSClamp:   clamp(isa.SMax, isa.SMin),
	spirv.OpenCLstdUClamp:   clamp(isa.UMax, isa.UMin),
	spirv.OpenCLstdClz:      unary(func(c code, x value) value { return c.op(isa.ISub, c.n(uint64(c.t.Bits()-1)), c.op(isa.FindUMsb, x)) }),
	spirv.OpenCLstdCtz:      unary(func(c code, x value) value { return c.op(isa.UMin, c.op(isa.FindILsb, x), c.n(uint64(c.t.Bits()))) }),
	spirv.OpenCLstdSMadHi:   ternary(func(c code, x, y, z value) value { return c.op(isa.IAdd, c.op(isa.SMulHi, x, y), z) }),
	spirv.OpenCLstdUMadHi:   ternary(func(c code, x, y, z value) value { return c.op(isa.IAdd, c.op(isa.UMulHi, x, y), z) }),
	spirv.OpenCLstdSMadSat:  ternary(code.madSigned),
	spirv.OpenCLstdUMadSat:  ternary(code.madUnsigned),
	spirv.OpenCLstdSMax:     plain(isa.SMax),
	spirv.OpenCLstdUMax:     plain(isa.UMax),
	spirv.OpenCLstdSMin:     plain(isa.SMin),
	spirv.OpenCLstdUMin:     plain(isa.UMin),
	spirv.OpenCLstdSMulHi:   plain(isa.SMulHi),
	spirv.OpenCLstdUMulHi:   plain(isa.UMulHi),
	spirv.OpenCLstdRotate: binary(func(c code, x, n value) value {
		return c.op(isa.Or, c.op(isa.Shl, x, n), c.op(isa.Shr, x, c.op(isa.INeg, n)))
	}),
	spirv.OpenCLstdUUpsample: binary(code.upsample),
	spirv.OpenCLstdSUpsample: binary(code.upsample),
	spirv.OpenCLstdPopcount:  plain(isa.BitCount),
	spirv.OpenCLstdSMad24:    ternary(func(c code, x, y, z value) value { return c.op(isa.IAdd, c.op(isa.IMul, x, y), z) }),
	spirv.OpenCLstdUMad24:    ternary(func(c code, x, y, z value) value { return c.op(isa.IAdd, c.op(isa.UMul24, x, y), z) }),
	spirv.OpenCLstdSMul24:    plain(isa.IMul), // operands outside 24 bits have no defined result
	spirv.OpenCLstdUMul24:    plain(isa.UMul24),

	spirv.OpenCLstdBitselect: ternary(code.bitSelect),
	spirv.OpenCLstdSelect:    {Operands: 3, vector: code.selects},
	spirv.OpenCLstdShuffle:   {Operands: 2, vector: func(c code, call Call) [][]value { return c.shuffle(call.Args[0], call.Args[1]) }},
	spirv.OpenCLstdShuffle2:  {Operands: 3, vector: code.shuffleTwo},
	spirv.OpenCLstdPrefetch:  {Operands: 1, Pointers: 1}, // a hint
}

// signs returns the sign of x in each bit.
func (c code) signs(x value) value { return c.op(isa.Sar, x, c.n(uint64(c.t.Bits()-1))) }

// limit returns the least or the greatest signed number, by the sign of x.
func (c code) limit(x value) value { return c.op(isa.Xor, c.signs(x), c.n(1<<(c.t.Bits()-1)-1)) }

func (c code) addSigned(x, y value) value {
	sum := c.op(isa.IAdd, x, y)
	over := c.op(isa.And, c.op(isa.Xor, x, sum), c.op(isa.Xor, y, sum))
	return c.choose(c.negative(over), c.limit(x), sum)
}

func (c code) addUnsigned(x, y value) value {
	sum := c.op(isa.IAdd, x, y)
	return c.choose(c.compare(isa.ULt, sum, x), c.n(c.t.Mask()), sum)
}

func (c code) subSigned(x, y value) value {
	rest := c.op(isa.ISub, x, y)
	over := c.op(isa.And, c.op(isa.Xor, x, y), c.op(isa.Xor, x, rest))
	return c.choose(c.negative(over), c.limit(x), rest)
}

// average is (x+y) >> 1 without overflow, averageUp (x+y+1) >> 1.
func (c code) average(shift isa.Op, x, y value) value {
	return c.op(isa.IAdd, c.op(isa.And, x, y), c.op(shift, c.op(isa.Xor, x, y), c.n(1)))
}

func (c code) averageUp(shift isa.Op, x, y value) value {
	return c.op(isa.ISub, c.op(isa.Or, x, y), c.op(shift, c.op(isa.Xor, x, y), c.n(1)))
}

func (c code) madUnsigned(x, y, z value) value {
	product := c.op(isa.IMul, x, y)
	sum := c.op(isa.IAdd, product, z)
	over := c.or(c.compare(isa.INe, c.op(isa.UMulHi, x, y), c.n(0)), c.compare(isa.ULt, sum, product))
	return c.choose(over, c.n(c.t.Mask()), sum)
}

// madSigned computes the product and the sum with twice the bits.
func (c code) madSigned(x, y, z value) value {
	product := c.op(isa.IMul, x, y)
	sum := c.op(isa.IAdd, product, z)
	carry := c.choose(c.compare(isa.ULt, sum, product), c.n(1), c.n(0))
	high := c.op(isa.IAdd, c.op(isa.IAdd, c.op(isa.SMulHi, x, y), c.signs(z)), carry)
	return c.choose(c.compare(isa.INe, high, c.signs(sum)), c.limit(high), sum)
}

func (c code) upsample(high, low value) value {
	wide := code{c.Emitter, c.result, c.result}
	shifted := wide.op(isa.Shl, c.convert(isa.UConvert, c.result, high), wide.n(uint64(low.R.Bits())))
	return wide.op(isa.Or, shifted, c.convert(isa.UConvert, c.result, low))
}

// bitSelect takes the bits of y where those of z are set.
func (c code) bitSelect(x, y, z value) value {
	t := c.integerType()
	x, y, z = c.integer(x), c.integer(y), c.integer(z)
	return c.bits(c.t, c.emit(isa.Xor, t, x, c.emit(isa.And, t, c.emit(isa.Xor, t, x, y), z)))
}

// selects takes y where z is true: not zero for scalars, negative for components of vectors.
func (c code) selects(call Call) [][]value {
	out := make([]value, len(call.Args[0]))
	for i := range out {
		x, y, z := call.Args[0][i], call.Args[1][i], call.Args[2][i]
		is := c.negative(z)
		if len(out) == 1 {
			is = c.compare(isa.INe, z, c.Constant(z.R, 0))
		}
		out[i] = c.choose(is, y, x)
	}
	return [][]value{out}
}

// shuffle takes for each component of a mask the component of x that its low bits number.
func (c code) shuffle(x, mask []value) [][]value {
	out := make([]value, len(mask))
	for i, m := range mask {
		list := x
		for bit := uint64(1); len(list) > 1; bit <<= 1 {
			list = c.halve(list, m, bit)
		}
		out[i] = list[0]
	}
	return [][]value{out}
}

// halve takes of each two neighbours one, by a bit of the mask.
func (c code) halve(list []value, mask value, bit uint64) []value {
	half := make([]value, 0, (len(list)+1)/2)
	zero := c.Constant(mask.R, 0)
	is := c.compare(isa.INe, c.emit(isa.And, mask.R, mask, c.Constant(mask.R, bit)), zero)
	for i := 0; i < len(list); i += 2 {
		half = append(half, c.choose(is, list[min(i+1, len(list)-1)], list[i]))
	}
	return half
}

func (c code) shuffleTwo(call Call) [][]value {
	return c.shuffle(append(append([]*ir.Value(nil), call.Args[0]...), call.Args[1]...), call.Args[2])
}
