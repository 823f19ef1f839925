package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// SPV_AMD_shader_ballot.

// groupNonUniformAMD pairs its group instructions with their operators.
var groupNonUniformAMD = map[spirv.Op]isa.GroupOperator{
	spirv.OpGroupIAddNonUniformAMD: isa.GroupIAdd, spirv.OpGroupFAddNonUniformAMD: isa.GroupFAdd,
	spirv.OpGroupFMinNonUniformAMD: isa.GroupFMin, spirv.OpGroupUMinNonUniformAMD: isa.GroupUMin, spirv.OpGroupSMinNonUniformAMD: isa.GroupSMin,
	spirv.OpGroupFMaxNonUniformAMD: isa.GroupFMax, spirv.OpGroupUMaxNonUniformAMD: isa.GroupUMax, spirv.OpGroupSMaxNonUniformAMD: isa.GroupSMax,
}

func ballotRowsAMD() map[spirv.Op]row {
	rows := map[spirv.Op]row{}
	for op, g := range groupNonUniformAMD {
		rows[op] = row{do: func(b *builder) { b.groupNonUniform(g) }}
	}
	return rows
}

// ballotAMD has one row for each instruction of the extended set.
var ballotAMD map[spirv.AMDShaderBallot]func(b *builder)

func init() {
	ballotAMD = map[spirv.AMDShaderBallot]func(b *builder){
		spirv.AMDShaderBallotSwizzleInvocationsAMD:       (*builder).swizzleInvocations,
		spirv.AMDShaderBallotSwizzleInvocationsMaskedAMD: (*builder).swizzleInvocationsMasked,
		spirv.AMDShaderBallotWriteInvocationAMD:          (*builder).writeInvocation,
		spirv.AMDShaderBallotMbcntAMD:                    (*builder).mbcnt,
	}
}

// literals are the constant components of an operand, each below limit.
func (b *builder) literals(i, n int, limit uint64) []uint32 {
	leaves := b.leaves(b.arg(i))
	if len(leaves) != n {
		b.invalid("%%%d has %d components: want %d", b.arg(i), len(leaves), n)
	}
	out := make([]uint32, n)
	for k, v := range leaves {
		if v.Op != isa.Const || v.Imm >= limit {
			b.invalid("component %d of %%%d is no constant from 0 to %d", k, b.arg(i), limit-1)
		}
		out[k] = uint32(v.Imm)
	}
	return out
}

func (b *builder) swizzleInvocations() {
	from := b.literals(3, 4, 4)
	b.swizzle(2, isa.SwizzleQuad, isa.QuadImm([4]uint32(from)))
}

func (b *builder) swizzle(value int, op isa.Op, imm uint64) {
	b.exchange(value, func(v *ir.Value) *ir.Value { return b.swizzled(op, imm, v) })
}

func (b *builder) swizzled(op isa.Op, imm uint64, v *ir.Value) *ir.Value {
	r := b.op(op, v.R, v)
	r.Imm = imm
	return r
}

func (b *builder) swizzleInvocationsMasked() {
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

// maskedSwizzle is the narrowest operation that moves lanes as the masks say,
// as ACO chooses among DPP, DPP8, permlane and ds_swizzle.
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
func (b *builder) writeInvocation() {
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

// firstLanes is the first active lane's value, which is uniform for the machine
// too.
func (b *builder) firstLanes(v *ir.Value) *ir.Value {
	if v.Op == isa.Const {
		return v
	}
	return b.op(isa.ReadFirstLane, v.R, v)
}

// mbcnt counts the bits of the mask below the own lane. The text has a mask of
// 32 bits, compilers pass 64.
func (b *builder) mbcnt() {
	mask := b.widen(b.leaf(b.arg(2)), isa.I64)
	n := b.emit(isa.MaskedBitCount, isa.I32, isa.I32, mask, b.i32(0))
	b.set(b.widen(n, b.comp(b.resultType())))
}

// groupNonUniform carries out a group instruction that may stand in control
// flow which some invocations do not take: they contribute the identity.
func (b *builder) groupNonUniform(g isa.GroupOperator) {
	kind := spirv.GroupOperation(b.arg(1))
	op, ok := groupKinds[kind]
	if !ok || kind == spirv.GroupOperationClusteredReduce {
		b.unsupported("group operation %s", kind)
	}
	if !b.workgroupScope() {
		b.exchange(2, func(v *ir.Value) *ir.Value { return b.groupOp(op, g, 0, v) })
		return
	}
	b.exchange(2, func(v *ir.Value) *ir.Value {
		r, gather := b.groupOp(op, g, 0, v), b.gatherSome(g)
		if op == isa.Reduce {
			return b.join(combineOps[g], gather(r))
		}
		return b.scanWaves(g, v, r, gather)
	})
}

// SPV_AMD_gcn_shader.

// gcnShader has one row for each instruction of the extended set.
var gcnShader map[spirv.AMDGcnShader]func(b *builder)

func init() {
	gcnShader = map[spirv.AMDGcnShader]func(b *builder){
		spirv.AMDGcnShaderCubeFaceIndexAMD: func(b *builder) {
			p := b.direction()
			b.set(b.op(isa.CubeID, isa.F32, p...))
		},
		spirv.AMDGcnShaderCubeFaceCoordAMD: (*builder).cubeFaceCoord,
		spirv.AMDGcnShaderTimeAMD:          func(b *builder) { b.set(b.op(isa.Clock, isa.I64)) },
	}
}

// direction is operand P of the cube operations. The text calls it a pointer
// for one of them, compilers pass a value to both.
func (b *builder) direction() []*ir.Value {
	id := b.arg(2)
	var p []*ir.Value
	if b.typeOf(id).Kind == validate.KindPointer {
		p = b.loadLeaves(b.ptr(id))
	} else {
		p = b.leaves(id)
	}
	if len(p) != 3 || p[0].R != isa.F32 {
		b.invalid("%%%d is no vector of three 32-bit floats", id)
	}
	return p
}

// cubeFaceCoord is what drivers emit: the coordinates on the face over twice
// the major axis, and a half.
func (b *builder) cubeFaceCoord() {
	p := b.direction()
	scale, half := b.op(isa.Rcp, isa.F32, b.op(isa.CubeMA, isa.F32, p...)), b.float(isa.F32, 0.5)
	s := b.op(isa.Fma, isa.F32, b.op(isa.CubeSC, isa.F32, p...), scale, half)
	t := b.op(isa.Fma, isa.F32, b.op(isa.CubeTC, isa.F32, p...), scale, half)
	b.set(s, t)
}
