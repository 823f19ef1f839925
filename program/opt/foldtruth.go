package opt

import (
	"math"

	"spvsim/isa"
	"spvsim/program/ir"
)

var truthRules = map[isa.Op]rule{
	isa.Select: foldSelect,
	isa.IEq:    foldEqual, isa.INe: foldEqual,
	isa.ULt: foldOrder, isa.SLt: foldOrder, isa.ULe: foldOrder, isa.SLe: foldOrder,
}

func foldSelect(s *folder, v *ir.Value) *ir.Value {
	c, x, y := v.Args[0], v.Args[1], v.Args[2]
	switch {
	case c.Op == isa.Const && c.Imm&1 != 0, x == y:
		return x
	case c.Op == isa.Const:
		return y
	case c.Op == isa.Not:
		return s.emit(isa.Select, v.T, c.Args[0], y, x)
	case v.T == isa.Bool:
		return s.selectTruth(c, x, y)
	}
	return nil
}

func (s *folder) selectTruth(c, x, y *ir.Value) *ir.Value {
	switch {
	case isConst(x, 1) && isConst(y, 0):
		return c
	case isConst(x, 0) && isConst(y, 1):
		return s.emit(isa.Not, isa.Bool, c)
	case isConst(y, 0):
		return s.emit(isa.And, isa.Bool, c, x)
	case isConst(x, 1):
		return s.emit(isa.Or, isa.Bool, c, y)
	}
	return nil
}

// foldEqual simplifies a == b and a != b: of one value with itself, of truth
// values with a constant, and of a selection between constants with a constant.
func foldEqual(s *folder, v *ir.Value) *ir.Value {
	x, y := v.Args[0], v.Args[1]
	equal := v.Op == isa.IEq
	switch {
	case x == y:
		return s.truth(equal)
	case y.Op != isa.Const:
		return nil
	case v.T == isa.Bool:
		return s.truthIf(x, (y.Imm&1 != 0) == equal)
	case x.Op == isa.Select && x.Args[1].Op == isa.Const && x.Args[2].Op == isa.Const:
		yes, no := (x.Args[1].Imm == y.Imm) == equal, (x.Args[2].Imm == y.Imm) == equal
		if yes == no {
			return s.truth(yes)
		}
		return s.truthIf(x.Args[0], yes)
	}
	return nil
}

func (s *folder) truth(t bool) *ir.Value {
	if t {
		return s.constant(isa.Bool, 1)
	}
	return s.constant(isa.Bool, 0)
}

// truthIf returns c if t, otherwise its negation.
func (s *folder) truthIf(c *ir.Value, t bool) *ir.Value {
	if t {
		return c
	}
	return s.emit(isa.Not, isa.Bool, c)
}

func foldOrder(s *folder, v *ir.Value) *ir.Value {
	x, y := v.Args[0], v.Args[1]
	strict := v.Op == isa.ULt || v.Op == isa.SLt
	switch {
	case x == y:
		return s.truth(!strict)
	case v.Op == isa.ULt && isConst(y, 0):
		return s.truth(false)
	case v.Op == isa.ULe && isConst(x, 0):
		return s.truth(true)
	}
	return nil
}

// foldConditions turns branches on negations round.
func foldConditions(f *ir.Func) bool {
	changed := false
	for _, b := range f.Blocks {
		for b.Term == ir.Cond && b.Cond.Op == isa.Not && b.Succs[0] != b.Succs[1] {
			b.Cond = b.Cond.Args[0]
			b.Succs[0], b.Succs[1] = b.Succs[1], b.Succs[0]
			changed = true
		}
	}
	return changed
}

var floatRules = map[isa.Op]rule{
	isa.FMul: foldFMul, isa.FDiv: foldFDiv, isa.FAdd: foldFAdd, isa.FSub: foldFSub,
	isa.FNeg: involution, isa.FAbs: foldFAbs,
}

// float returns the value of a constant, or other for any other value.
func float(v *ir.Value, other float64) float64 {
	if v.Op != isa.Const {
		return other
	}
	return math.Float64frombits(isa.Eval(isa.FConvert, isa.F64, v.R, 0, v.Imm))
}

func (s *folder) float(t isa.Type, x float64) *ir.Value {
	return s.constant(t, isa.Eval(isa.FConvert, t, isa.F64, 0, math.Float64bits(x)))
}

func foldFMul(s *folder, v *ir.Value) *ir.Value {
	switch float(v.Args[1], math.NaN()) {
	case 1:
		return v.Args[0]
	case -1:
		return s.emit(isa.FNeg, v.T, v.Args[0])
	}
	return nil
}

// foldFDiv replaces division by a power of two by multiplication with its reciprocal, which is exact while it is a
// normal number.
func foldFDiv(s *folder, v *ir.Value) *ir.Value {
	y := float(v.Args[1], math.NaN())
	frac, exp := math.Frexp(y)
	if math.Abs(frac) != 0.5 || exp < -13 || exp > 13 {
		return nil
	}
	return s.emit(isa.FMul, v.T, v.Args[0], s.float(v.T, 1/y))
}

// foldFAdd: only -0 is neutral in addition, as -0 + 0 is 0.
func foldFAdd(_ *folder, v *ir.Value) *ir.Value {
	if y := float(v.Args[1], 1); y == 0 && math.Signbit(y) {
		return v.Args[0]
	}
	return nil
}

func foldFSub(_ *folder, v *ir.Value) *ir.Value {
	if y := float(v.Args[1], 1); y == 0 && !math.Signbit(y) {
		return v.Args[0]
	}
	return nil
}

func foldFAbs(s *folder, v *ir.Value) *ir.Value {
	switch x := v.Args[0]; x.Op {
	case isa.FNeg:
		return s.emit(isa.FAbs, v.T, x.Args[0])
	case isa.FAbs:
		return x
	}
	return nil
}

// waveRules fold operations that depend on the shader's workgroup size.
var waveRules = map[isa.Op]rule{
	isa.LocalIDX: localID(0), isa.LocalIDY: localID(1), isa.LocalIDZ: localID(2),
	isa.LocalIndex: foldLocalIndex, isa.NumSubgroups: foldSubgroups, isa.SubgroupID: foldSubgroups,
	isa.ReadFirstLane: foldBroadcast, isa.VoteAll: foldBroadcast, isa.VoteAny: foldBroadcast,
}

func localID(axis int) rule {
	return func(s *folder, _ *ir.Value) *ir.Value {
		if s.f.LocalSize[axis] == 1 {
			return s.constant(isa.I32, 0)
		}
		return nil
	}
}

func foldLocalIndex(s *folder, _ *ir.Value) *ir.Value {
	size := s.f.LocalSize
	if size[1] == 1 && size[2] == 1 && size[0] > 1 {
		return s.emit(isa.LocalIDX, isa.I32)
	}
	return nil
}

// foldSubgroups folds the number of waves of a workgroup, as LLVM does. Mesa reads it and the wave's number from a
// register.
func foldSubgroups(s *folder, v *ir.Value) *ir.Value {
	if !s.o.SelectBuffers {
		return nil
	}
	size := s.f.LocalSize
	lanes := int(size[0]) * int(size[1]) * int(size[2])
	waves := (lanes + s.o.WaveSize - 1) / s.o.WaveSize
	switch {
	case waves == 0:
		return nil
	case v.Op == isa.NumSubgroups:
		return s.constant(isa.I32, uint64(waves))
	case waves == 1:
		return s.constant(isa.I32, 0)
	}
	return nil
}

// foldBroadcast removes an exchange between lanes of a constant.
func foldBroadcast(_ *folder, v *ir.Value) *ir.Value {
	if x := v.Args[0]; x.Op == isa.Const {
		return x
	}
	return nil
}
