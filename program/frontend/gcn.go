package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// gcn holds SPV_AMD_gcn_shader, cube faces and the time, and the clock of
// SPV_KHR_shader_clock.
type gcn struct{ *pointers }

func clockRows() map[spirv.Op]row[*gcn] {
	return map[spirv.Op]row[*gcn]{spirv.OpReadClockKHR: {translate: (*gcn).readClock}}
}

// gcnShader has a row for each instruction of the extended set.
var gcnShader map[spirv.AMDGcnShader]func(b *gcn)

func init() {
	gcnShader = map[spirv.AMDGcnShader]func(b *gcn){
		spirv.AMDGcnShaderCubeFaceIndexAMD: func(b *gcn) {
			p := b.direction()
			b.set(b.op(isa.CubeID, isa.F32, p...))
		},
		spirv.AMDGcnShaderCubeFaceCoordAMD: (*gcn).cubeFaceCoord,
		spirv.AMDGcnShaderTimeAMD:          func(b *gcn) { b.set(b.op(isa.Clock, isa.I64)) },
	}
}

// direction returns operand P of the cube operations. The specification calls it a pointer for one of them; compilers
// pass a value to both.
func (b *gcn) direction() []*ir.Value {
	id := b.arg(2)
	var p []*ir.Value
	if b.typeOf(id).Kind == validate.KindPointer {
		p = b.loadLeaves(b.ptr(id))
	} else {
		p = b.leaves(id)
	}
	if len(p) != 3 || p[0].R != isa.F32 {
		b.invalid("%%%d is not a vector of three 32-bit floats", id)
	}
	return p
}

// cubeFaceCoord emits the sequence of drivers: the coordinates on the face divided by twice the major axis, plus a
// half.
func (b *gcn) cubeFaceCoord() {
	p := b.direction()
	scale, half := b.op(isa.Rcp, isa.F32, b.op(isa.CubeMA, isa.F32, p...)), b.float(isa.F32, 0.5)
	s := b.op(isa.Fma, isa.F32, b.op(isa.CubeSC, isa.F32, p...), scale, half)
	t := b.op(isa.Fma, isa.F32, b.op(isa.CubeTC, isa.F32, p...), scale, half)
	b.set(s, t)
}

// readClock carries out OpReadClockKHR, as 64 bits or as two words.
func (b *gcn) readClock() {
	op := isa.Clock
	if spirv.Scope(b.constBits(b.arg(0))) == spirv.ScopeDevice {
		op = isa.Realtime
	}
	v := b.op(op, isa.I64)
	if b.resultType().Kind == validate.KindVector {
		b.set(b.recast([]*ir.Value{v}, leafList{isa.I32, isa.I32})...)
		return
	}
	b.set(v)
}
