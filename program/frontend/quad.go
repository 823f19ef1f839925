package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
)

// quads holds the operations among the lanes of a quad.
type quads struct{ *groups }

// Quads: votes of SPV_KHR_quad_control and the derivatives. A quad is four consecutive lanes; the execution mode
// determines their positions.

func quadRows() map[spirv.Op]row[*quads] {
	return map[spirv.Op]row[*quads]{
		spirv.OpGroupNonUniformQuadAllKHR: {translate: func(b *quads) { b.vote(isa.QuadAll, 0) }},
		spirv.OpGroupNonUniformQuadAnyKHR: {translate: func(b *quads) { b.vote(isa.QuadAny, 0) }},

		spirv.OpDPdx:         derivative(alongX),
		spirv.OpDPdy:         derivative(alongY),
		spirv.OpFwidth:       derivative(alongX, alongY),
		spirv.OpDPdxFine:     derivative(alongXFine),
		spirv.OpDPdyFine:     derivative(alongYFine),
		spirv.OpFwidthFine:   derivative(alongXFine, alongYFine),
		spirv.OpDPdxCoarse:   derivative(alongX),
		spirv.OpDPdyCoarse:   derivative(alongY),
		spirv.OpFwidthCoarse: derivative(alongX, alongY),
	}
}

// A direction holds, for each lane of a quad, the two lanes whose values are subtracted.
type direction struct{ from, to [4]uint32 }

// Lanes 0 and 1 are the upper row, 2 and 3 the lower one. Coarse derivatives are those of lane 0 for the whole quad, as
// in drivers.
var (
	alongX     = direction{[4]uint32{0, 0, 0, 0}, [4]uint32{1, 1, 1, 1}}
	alongY     = direction{[4]uint32{0, 0, 0, 0}, [4]uint32{2, 2, 2, 2}}
	alongXFine = direction{[4]uint32{0, 0, 2, 2}, [4]uint32{1, 1, 3, 3}}
	alongYFine = direction{[4]uint32{0, 1, 0, 1}, [4]uint32{2, 3, 2, 3}}
)

// derivative makes a row; with two directions it adds up the magnitudes.
func derivative(along ...direction) row[*quads] {
	return row[*quads]{translate: func(b *quads) {
		if !b.derivatives {
			b.unsupported("derivatives in entry point %q, which has no derivative group: want DerivativeGroupQuadsKHR or DerivativeGroupLinearKHR", b.entry.Name)
		}
		var out []*ir.Value
		for _, v := range b.leaves(b.arg(0)) {
			if len(along) == 1 {
				out = append(out, b.difference(along[0], v))
				continue
			}
			x, y := b.difference(along[0], v), b.difference(along[1], v)
			out = append(out, b.op(isa.FAdd, v.R, b.op(isa.FAbs, v.R, x), b.op(isa.FAbs, v.R, y)))
		}
		b.set(out...)
	}}
}

func (b *quads) difference(d direction, v *ir.Value) *ir.Value {
	from := b.swizzled(isa.SwizzleQuad, isa.QuadImm(d.from), v)
	to := b.swizzled(isa.SwizzleQuad, isa.QuadImm(d.to), v)
	return b.op(isa.FSub, v.R, to, from)
}

// derivativeGroup reads the mode that arranges the invocations in quads.
func (b *quads) derivativeGroup() {
	quads := b.entry.Mode(spirv.ExecutionModeDerivativeGroupQuadsKHR) != nil
	linear := b.entry.Mode(spirv.ExecutionModeDerivativeGroupLinearKHR) != nil
	size := b.f.LocalSize
	switch {
	case quads && linear:
		b.invalid("both derivative groups")
	case quads && (size[0]%2 != 0 || size[1]%2 != 0):
		b.invalid("DerivativeGroupQuadsKHR with a local size of %d x %d: want even numbers", size[0], size[1])
	case linear && size[0]*size[1]*size[2]%4 != 0:
		b.invalid("DerivativeGroupLinearKHR with %d invocations: want a multiple of 4", size[0]*size[1]*size[2])
	}
	b.derivatives, b.inQuads = quads || linear || b.isFragment(), quads
}
