package opt

import (
	"spvsim/isa"
	"spvsim/program/ir"
)

// modifiers takes signs and magnitudes of f32 into the instructions that read
// them, and a clamp to 0 and 1 into the one that computes the value: encodings
// of vector instructions have both for nothing.
func modifiers(f *ir.Func, o Options) bool {
	if o.ScalarFloat {
		return false // encodings of the scalar unit have none
	}
	u, names := newUses(f), newRenaming(f)
	for _, b := range f.Blocks {
		for _, v := range b.Code {
			if takesSigns[v.Op] {
				takeSigns(v)
			} else if v.Op == isa.FNeg {
				negateProduct(u, v)
			}
			takeClamp(u, names, v)
		}
	}
	changed := names.apply(f)
	return removeDead(f) || changed
}

// takesSigns lists operations that are one instruction each on every machine.
var takesSigns = map[isa.Op]bool{
	isa.FAdd: true, isa.FSub: true, isa.FMul: true, isa.Fma: true, isa.FMin: true, isa.FMax: true,
	isa.Floor: true, isa.Ceil: true, isa.Trunc: true, isa.RoundEven: true, isa.Fract: true, isa.Rcp: true,
	isa.FToS: true, isa.FToU: true,
	isa.FOrdEq: true, isa.FOrdNe: true, isa.FOrdLt: true, isa.FOrdLe: true,
	isa.FUnordEq: true, isa.FUnordNe: true, isa.FUnordLt: true, isa.FUnordLe: true,
}

func takeSigns(v *ir.Value) {
	for k, a := range v.Args {
		if isa.SourceType(v.Op, k, v.T, v.From) != isa.F32 {
			continue
		}
		neg, abs := false, false
		for (a.Op == isa.FNeg || a.Op == isa.FAbs) && a.T == isa.F32 {
			if a.Op == isa.FAbs {
				abs = true
			} else if !abs {
				neg = !neg
			}
			a = a.Args[0]
		}
		if a == v.Args[k] || literal(a) {
			continue
		}
		v.Args[k] = a
		v.Mod.Neg |= bit(neg, k)
		v.Mod.Abs |= bit(abs, k)
	}
}

// negateProduct makes v, the negative of a product that nothing else uses, the product with a sign.
func negateProduct(u *uses, v *ir.Value) {
	p := v.Args[0]
	if p.Op != isa.FMul || p.T != isa.F32 || p.Block != v.Block || p.Uniform != v.Uniform || p.Mod.Clamp || u.count(p) != 1 || literal(p.Args[0]) {
		return
	}
	v.Op, v.Args, v.Mod = isa.FMul, p.Args, p.Mod
	v.Mod.Neg ^= bit(true, 0)
}

func bit(set bool, k int) uint8 {
	if set {
		return 1 << k
	}
	return 0
}

// clampable lists operations whose result an encoding clamps.
var clampable = map[isa.Op]bool{isa.FAdd: true, isa.FSub: true, isa.FMul: true, isa.Fma: true, isa.FMin: true, isa.FMax: true}

const one32 = 0x3f800000

// takeClamp replaces min(max(x, 0), 1) by the clamped x, or by the clamped maximum if x itself is used, too. The other
// order gives 1 for a NaN, not 0.
func takeClamp(u *uses, names *renaming, v *ir.Value) {
	if v.Op != isa.FMin || v.T != isa.F32 || v.Mod.Any() || !isConst(v.Args[1], one32) {
		return
	}
	high := v.Args[0]
	if high.Op != isa.FMax || high.Mod.Any() || u.count(high) != 1 || !isConst(high.Args[1], 0) {
		return
	}
	x := high.Args[0]
	if clampable[x.Op] && x.T == isa.F32 && u.count(x) == 1 && !x.Mod.Clamp {
		x.Mod.Clamp = true
		names.set(v, x)
		return
	}
	high.Mod.Clamp = true
	names.set(v, high)
}
