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

// A product of matrices is found by its unit, the types of its components, all of them, and its depth.
func TestProductsOfMatricesAreFound(t *testing.T) {
	types := map[Type]bool{F64: true}
	units := map[MatrixUnit]bool{}
	has := map[[5]int]bool{}
	for _, o := range MatrixOps {
		units[o.Unit], types[o.A], types[o.B], types[o.C] = true, true, true, true
		has[[5]int{int(o.Unit), int(o.A), int(o.B), int(o.C), o.K}] = true
	}
	for u := range units {
		for a := range types {
			for b := range types {
				for c := range types {
					for _, k := range []int{4, 8, 16, 32, 64, 128} {
						i, ok := MatrixOpFor(u, a, b, c, k)
						if want := has[[5]int{int(u), int(a), int(b), int(c), k}]; ok != want {
							t.Errorf("unit %d, %v x %v + %v, depth %d: found: %t", u, a, b, c, k, ok)
						} else if ok {
							if o := MatrixOps[i]; o.Unit != u || o.A != a || o.B != b || o.C != c || o.K != k {
								t.Errorf("unit %d, %v x %v + %v, depth %d is %s", u, a, b, c, k, o.Name)
							}
						}
					}
				}
			}
		}
	}
}
