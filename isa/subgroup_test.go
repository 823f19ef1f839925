package isa

import "testing"

// Operations of a subgroup look at other lanes; those of a quad, of one lane's registers and of masks are none of them.
func TestOperationsOfSubgroups(t *testing.T) {
	for op := range NumOps {
		if op.Has(FlagSubgroup) && !op.Has(FlagCrossLane) {
			t.Errorf("%s is of a subgroup, but does not look at other lanes", Table[op].Name)
		}
	}
	for op, want := range map[Op]bool{Ballot: true, ExclusiveScan: true, IAdd: false, Load: false, QuadBroadcast: false, QuadSwap: false, QuadAll: false, QuadAny: false,
		SwizzleQuad: false, WriteLane: false, MaskedBitCount: false, LaneOfMask: false} {
		if op.Has(FlagSubgroup) != want {
			t.Errorf("%s is of a subgroup: %t", Table[op].Name, !want)
		}
	}
}

// A product of matrices is found by its unit and the types of its components, all of them.
func TestProductsOfMatricesAreFound(t *testing.T) {
	types := map[Type]bool{F64: true}
	units := map[MatrixUnit]bool{}
	has := map[[4]int]bool{}
	for _, o := range MatrixOps {
		units[o.Unit], types[o.A], types[o.B], types[o.C] = true, true, true, true
		has[[4]int{int(o.Unit), int(o.A), int(o.B), int(o.C)}] = true
	}
	for u := range units {
		for a := range types {
			for b := range types {
				for c := range types {
					i, ok := MatrixOpFor(u, a, b, c)
					if want := has[[4]int{int(u), int(a), int(b), int(c)}]; ok != want {
						t.Errorf("unit %d, %v x %v + %v: found: %t", u, a, b, c, ok)
					} else if o := (MatrixOp{}); ok {
						if o = MatrixOps[i]; o.Unit != u || o.A != a || o.B != b || o.C != c {
							t.Errorf("unit %d, %v x %v + %v is %s", u, a, b, c, o.Name)
						}
					}
				}
			}
		}
	}
}
