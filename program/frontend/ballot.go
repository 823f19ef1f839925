package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
)

// SPV_AMD_shader_ballot.

// ballotAMD has a row for each instruction of the extended set.
var ballotAMD map[spirv.AMDShaderBallot]func(b *groups)

func init() {
	ballotAMD = map[spirv.AMDShaderBallot]func(b *groups){
		spirv.AMDShaderBallotSwizzleInvocationsAMD:       (*groups).swizzleInvocations,
		spirv.AMDShaderBallotSwizzleInvocationsMaskedAMD: (*groups).swizzleInvocationsMasked,
		spirv.AMDShaderBallotWriteInvocationAMD:          (*groups).writeInvocation,
		spirv.AMDShaderBallotMbcntAMD:                    (*groups).mbcnt,
	}
}

// literals returns the constant components of an operand, each below limit.
func (b *groups) literals(i, n int, limit uint64) []uint32 {
	leaves := b.leaves(b.arg(i))
	if len(leaves) != n {
		b.invalid("%%%d has %d components: want %d", b.arg(i), len(leaves), n)
	}
	out := make([]uint32, n)
	for k, v := range leaves {
		if v.Op != isa.Const || v.Imm >= limit {
			b.invalid("component %d of %%%d is not a constant from 0 to %d", k, b.arg(i), limit-1)
		}
		out[k] = uint32(v.Imm)
	}
	return out
}

func (b *groups) swizzleInvocations() {
	from := b.literals(3, 4, 4)
	b.swizzle(2, isa.SwizzleQuad, isa.QuadImm([4]uint32(from)))
}

func (b *groups) swizzle(value int, op isa.Op, imm uint64) {
	b.exchange(value, func(v *ir.Value) *ir.Value { return b.swizzled(op, imm, v) })
}

func (b *groups) swizzled(op isa.Op, imm uint64, v *ir.Value) *ir.Value {
	r := b.op(op, v.R, v)
	r.Imm = imm
	return r
}

func (b *groups) swizzleInvocationsMasked() {
	m := b.literals(3, 3, 32)
	and, or, xor := m[0], m[1], m[2]
	op, imm := maskedSwizzle(and, or, xor), isa.MaskImm(and, or, xor)
	if op == isa.SwizzleQuad {
		var from [4]uint32
		for k := range from {
			from[k] = (uint32(k)&and | or) ^ xor
		}
		imm = isa.QuadImm(from)
	}
	b.swizzle(2, op, imm)
}

// maskedSwizzle returns the narrowest operation that moves lanes by the masks, as ACO chooses among DPP, DPP8, permlane
// and ds_swizzle.
func maskedSwizzle(and, or, xor uint32) isa.Op {
	within := func(lanes uint32) bool { return and|(lanes-1) == 31 && or < lanes && xor < lanes }
	switch {
	case within(4):
		return isa.SwizzleQuad
	case and == 31 && or == 0 && (xor == 7 || xor == 8 || xor == 15):
		return isa.SwizzleMirror
	case within(8):
		return isa.SwizzleEight
	case and&16 != 0 && or < 16:
		return isa.SwizzleSixteen
	}
	return isa.SwizzleMasked
}

// writeInvocation takes the written value and the index from the first active
// lane: the text asks that all lanes have the same.
func (b *groups) writeInvocation() {
	at := b.firstLanes(b.index32(4))
	written := b.leaves(b.arg(3))
	k := 0
	b.exchange(2, func(v *ir.Value) *ir.Value {
		if k == len(written) {
			b.invalid("%%%d and %%%d have different types", b.arg(2), b.arg(3))
		}
		w := b.firstLanes(b.word(written[k]))
		k++
		return b.op(isa.WriteLane, v.R, v, w, at)
	})
}

// firstLanes returns the first active lane's value, which is uniform for the machine too.
func (b *groups) firstLanes(v *ir.Value) *ir.Value {
	if v.Op == isa.Const {
		return v
	}
	return b.op(isa.ReadFirstLane, v.R, v)
}

// mbcnt counts the bits of the mask below the own lane. The text has a mask of
// 32 bits, compilers pass 64.
func (b *groups) mbcnt() {
	mask := b.widen(b.scalarOf(b.arg(2)), isa.I64)
	n := b.emit(isa.MaskedBitCount, isa.I32, isa.I32, mask, b.i32(0))
	b.set(b.widen(n, b.comp(b.resultType())))
}
