package opt

import (
	"spvsim/isa"
	"spvsim/program/ir"
)

// pure reports whether v depends on its arguments, the lane and the wave only, so that it may be repeated, removed and
// moved anywhere.
func pure(v *ir.Value) bool { return v.Op.Has(isa.FlagPure) }

// crossLane reports whether v depends on which lanes are active, so that it stays in its block.
func crossLane(v *ir.Value) bool { return v.Op.Has(isa.FlagCrossLane) }

// hasSideEffect reports that v stays though nothing uses it.
func hasSideEffect(v *ir.Value) bool {
	return v.Op.Has(isa.FlagEffect) || v.Mem != nil && v.Mem.Volatile
}

// readsImage reports a read of an image, sampled or not.
func readsImage(v *ir.Value) bool {
	return v.Op == isa.ImageLoad || v.Op.Has(isa.FlagSamples)
}

// fence reports that accesses to memory that others see do not move across v.
func fence(v *ir.Value) bool {
	return v.Op.Has(isa.FlagAtomic) || v.Op.Has(isa.FlagEffect) && v.Mem == nil || v.Mem != nil && v.Mem.Volatile
}

// isConst reports that v is the constant bits.
func isConst(v *ir.Value, bits uint64) bool { return v.Op == isa.Const && v.Imm == bits }

// literal reports that v has the same bits everywhere and costs nothing.
func literal(v *ir.Value) bool { return v.Op == isa.Const || v.Op == isa.Undef }

// foldable reports that isa.Eval computes v.
func foldable(v *ir.Value) bool { return pure(v) && isa.Table[v.Op].Meaning != nil }

// onScalarUnit reports that the scalar unit can compute v from scalar operands.
func onScalarUnit(v *ir.Value, o Options) bool {
	switch {
	case v.Op.Has(isa.FlagScalarUnit), v.Op.Has(isa.FlagUniform), v.Op.Has(isa.FlagIROnly), v.R == isa.Void:
		return true
	case v.Op == isa.Load:
		return true
	}
	return o.ScalarFloat && pure(v) && (v.T == isa.F32 || v.T == isa.F16)
}
