package isa

import (
	"regexp"
	"testing"
)

func TestEveryRowIsCompleteAndInOrder(t *testing.T) {
	name := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	seen := map[string]Op{}
	for i := range Table {
		r := &Table[i]
		if r.Op != Op(i) {
			t.Errorf("row %d (%s) says operation %d", i, r.Name, r.Op)
		}
		if !name.MatchString(r.Name) {
			t.Errorf("row %d: name %q", i, r.Name)
		}
		if other, twice := seen[r.Name]; twice {
			t.Errorf("rows %d and %d are both named %q", other, i, r.Name)
		}
		seen[r.Name] = r.Op
		if r.Flags == 0 {
			t.Errorf("%s: no flags", r.Name)
		}
		if r.Spec.String() == "" {
			t.Errorf("%s: no place in the specification", r.Name)
		}
		if got, ok := Lookup(r.Name); !ok || got != r.Op {
			t.Errorf("Lookup(%q) = %d, %v", r.Name, got, ok)
		}
	}
}

// Every operation is computed here or is one that the machine carries out.
func TestEveryOperationHasSomeoneWhoComputesIt(t *testing.T) {
	for i := range Table {
		r := &Table[i]
		machine := r.Flags&(FlagReads|FlagWrites|FlagControl|FlagIROnly) != 0 || len(r.Sig.Src) == 0 ||
			r.Op >= PayloadAlloc && r.Op <= PayloadFinish
		if r.Meaning == nil && waveOps[i] == nil && !machine {
			t.Errorf("%s: neither meaning nor wave operation", r.Name)
		}
		if r.Meaning != nil && waveOps[i] != nil && r.Op != ToLanes && r.Op != ToScalar {
			t.Errorf("%s: both meaning and wave operation", r.Name)
		}
	}
}

// typesOf returns the types that an operation is defined on.
func typesOf(op Op) []Type {
	r := &Table[op]
	ints, floats := []Type{I8, I16, I32, I64}, []Type{F16, F32, F64}
	switch {
	case op == Mov || op == Select:
		return append(append([]Type{Bool}, ints...), floats...)
	case op == Pack64:
		return []Type{I64}
	case op == FDot2:
		return []Type{F16, F32}
	case op == Lo32 || op == Hi32 || op == Pack8 || op == Pack16 || op == Unpack16:
		return []Type{I32}
	case op == QuantizeF16, op >= DivScale && op <= DivFixup:
		return []Type{F32}
	case op >= UMul24 && op <= UDot2Sat:
		return []Type{I32}
	case op >= And && op <= Not || op == IEq || op == INe:
		return append([]Type{Bool}, ints...)
	case op >= FAdd && op <= FClass || op >= FOrdEq && op <= FUnordLe || op == UToF || op == SToF || op == FConvert:
		return floats
	case r.Meaning != nil && op != ToLanes && (op < ToScalar || op > RestoreLane):
		return ints
	}
	return nil
}

func TestEveryTypeHasAClass(t *testing.T) {
	for i := range Table {
		for _, ty := range typesOf(Op(i)) {
			in := Inst{Op: Op(i), T: ty, From: ty}
			if ClassOf(&in) == ClassNone && Op(i) != Pack16 && Op(i) != Unpack16 && Op(i) != DivScaled { // which are but names for registers, and what another writes
				t.Errorf("%s.%s: no class", Op(i), ty)
			}
			in.Uniform = true
			if got := ClassOf(&in); Op(i).Has(FlagScalarUnit) != (got == ClassSALU) && ty != Bool {
				t.Errorf("uniform %s.%s: class %s", Op(i), ty, got)
			}
		}
	}
}

func TestCommutingRowsCommute(t *testing.T) {
	for i := range Table {
		if !Op(i).Has(FlagCommutes) {
			continue
		}
		for _, ty := range typesOf(Op(i)) {
			for n := uint64(1); n < 50; n++ {
				a, b, c := n*0x9e3779b97f4a7c15&ty.Mask(), n*n*0xbf58476d1ce4e5b9&ty.Mask(), n*0x94d049bb133111eb&ty.Mask()
				ab, ba := Eval(Op(i), ty, ty, 0, a, b, c), Eval(Op(i), ty, ty, 0, b, a, c)
				if ab != ba && !(ty.IsFloat() && FloatOf(ty, ab) != FloatOf(ty, ab)) {
					t.Errorf("%s.%s(%#x, %#x, %#x) = %#x, swapped %#x", Op(i), ty, a, b, c, ab, ba)
				}
			}
		}
	}
}
