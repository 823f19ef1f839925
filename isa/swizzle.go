package isa

import "math/bits"

// Swizzles of SPV_AMD_shader_ballot and votes of SPV_KHR_quad_control.

// QuadImm packs the selectors of a SwizzleQuad: lane k of a quad takes lane
// from[k], 0 to 3.
func QuadImm(from [4]uint32) (imm uint64) {
	for k, f := range from {
		imm |= uint64(f&3) << (2 * k)
	}
	return imm
}

// MaskImm packs the masks of a masked swizzle, 0 to 31 each.
func MaskImm(and, or, xor uint32) uint64 {
	return uint64(and&31) | uint64(or&31)<<5 | uint64(xor&31)<<10
}

func swizzleQuad(st *State, in *Inst) {
	st.gather(in, func(l int) uint64 { return uint64(l&^3) | in.Imm>>(2*(l&3))&3 })
}

func swizzleMasked(st *State, in *Inst) {
	and, or, xor := in.Imm&31, in.Imm>>5&31, in.Imm>>10&31
	st.gather(in, func(l int) uint64 { return (uint64(l)&and | or) ^ xor | uint64(l)&32 })
}

func writeLane(st *State, in *Inst) {
	other, own, at := st.lanesOf(in.Src[0], in.T), st.lanesOf(in.Src[1], in.T), st.viewOf(in.Src[2], I32)
	var values [64]uint64
	for rest := st.Exec; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		if values[l] = other.lane(l); at.lane(l) == uint64(l) {
			values[l] = own.lane(l)
		}
	}
	st.scatter(in, &values)
}

// quadVote asks each quad about the lanes of it that are active.
func quadVote(holds func(votes, active uint64) bool) func(*State, *Inst) {
	return func(st *State, in *Inst) {
		votes, result := activeTrue(st, in), uint64(0)
		for quad := uint64(15); quad != 0; quad <<= 4 {
			if holds(votes&quad, st.Exec&quad) {
				result |= quad
			}
		}
		st.setMask(in.Dst, result)
	}
}
