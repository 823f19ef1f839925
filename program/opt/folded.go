package opt

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// foldedConversions marks what instructions that read it take in, so that it costs nothing:
//
//   - a truncation: the low bits of a register are the narrower number, whose widening has its own instruction;
//   - the low half of a scalar register;
//   - a byte of a word that is converted to f32 (v_cvt_f32_ubyte0 to 3), in both compilers;
//   - an f16 that f32 additions and multiplications of the vector unit read as such (v_fma_mix_f32; ACO: combine_mad_mix). ACO has it from
//     GFX9 on, but here machines have it whose vector instructions read two scalars (GFX10). LLVM fuses fewer, which is left out;
//   - where buffers are descriptors, the conversions of packHalf2x16 (v_cvt_pkrtz_f16_f32; here they round to the nearest number);
//   - there, a factor of 2, 4 or 1/2 of an f32 sum (output modifiers; ACO: apply_omod_clamp). HIP and
//     OpenCL keep subnormal numbers, for which there are none.
func foldedConversions(f *ir.Func, o Options) bool {
	u := newUses(f)
	for _, b := range f.Blocks {
		for _, v := range b.Code {
			v.Folded = truncates(v) || v.Op == isa.Unpack16 && v.Uniform && v.Imm == 0 ||
				byteOfVector(v) && allUsers(u, v, readsByte) ||
				o.TwoScalars && !o.SelectBuffers && widensHalf(v) && allUsers(u, v, mixes) ||
				!o.SelectBuffers && !f.Kernel && (scalesSum(u, v) || narrowsForPack(u, v))
		}
	}
	return true
}

func truncates(v *ir.Value) bool {
	return (v.Op == isa.UConvert || v.Op == isa.SConvert) && v.T.Bits() < v.From.Bits()
}

func allUsers(u *uses, v *ir.Value, reads func(v *ir.Value) bool) bool {
	users := u.users(v)
	return len(users) > 0 && len(u.branches(v)) == 0 && !slices.ContainsFunc(users, func(w *ir.Value) bool { return !reads(w) })
}

// byteOfVector reports a byte of a word of each lane, zero-extended.
func byteOfVector(v *ir.Value) bool {
	if v.T != isa.I32 || v.Uniform || len(v.Args) < 2 || v.Args[0].Uniform || literal(v.Args[0]) {
		return false
	}
	switch y := v.Args[1]; v.Op {
	case isa.And:
		return isConst(y, 0xff)
	case isa.Shr:
		return isConst(y, 24)
	case isa.BitFieldUExtract:
		return y.Op == isa.Const && y.Imm%8 == 0 && y.Imm < 32 && isConst(v.Args[2], 8)
	}
	return false
}

func readsByte(v *ir.Value) bool { return v.Op == isa.UToF && v.T == isa.F32 && v.From.Bits() == 32 }

func widensHalf(v *ir.Value) bool {
	return v.Op == isa.FConvert && v.T == isa.F32 && v.From == isa.F16 && !v.Uniform && !v.Mod.Any()
}

func scalesSum(u *uses, v *ir.Value) bool {
	if v.Op != isa.FMul || v.T != isa.F32 || v.Uniform || v.NoContract || v.Mod.Any() {
		return false
	}
	switch float(v.Args[1], 0) {
	case 0.5, 2, 4:
		x := v.Args[0]
		return (x.Op == isa.FAdd || x.Op == isa.FSub || x.Op == isa.Fma) && x.T == isa.F32 && !x.Uniform && !x.Mod.Clamp && u.count(x) == 1
	}
	return false
}

// narrowsForPack reports a conversion of packHalf2x16, or a move of its bits.
func narrowsForPack(u *uses, v *ir.Value) bool {
	if v.Op == isa.Mov && v.From == isa.F16 {
		v = v.Args[0]
	}
	return v.Op == isa.FConvert && v.T == isa.F16 && v.From == isa.F32 && !v.Uniform && v.SPIRV != 0 && allUsers(u, v, func(w *ir.Value) bool {
		return w.SPIRV == v.SPIRV && (w.Op == isa.Pack16 || w.Op == isa.Mov && allUsers(u, w, func(x *ir.Value) bool { return x.SPIRV == v.SPIRV && x.Op == isa.Pack16 }))
	})
}

func mixes(v *ir.Value) bool {
	switch v.Op {
	case isa.FAdd, isa.FSub, isa.FMul, isa.Fma:
		return v.T == isa.F32 && !v.Uniform
	}
	return false
}
