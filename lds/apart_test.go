package lds

import (
	"bytes"
	"math/rand"
	"slices"
	"testing"

	"spvsim/isa"
)

// apart is an access to two pieces of so many 32-bit elements; its halves are the two accesses that it does the work of.
func apart(op isa.Op, each int, distance uint32) (both, first, second *isa.Inst) {
	both, first, second = access(op, isa.I32, 2*each), access(op, isa.I32, each), access(op, isa.I32, each)
	both.Mem.PairStride = distance
	second.Mem.Offset = distance
	for k := range each {
		second.Mem.Dsts[k] = both.Mem.Dsts[each+k]
		second.Mem.Data[k] = both.Mem.Data[each+k]
	}
	return both, first, second
}

// TestClosedFormsOfTwoPieces holds the times of ds_read2 and ds_write2 that CLRX measured (GcnTimings.md), and conflicts of both pieces.
func TestClosedFormsOfTwoPieces(t *testing.T) {
	for _, c := range []struct {
		op     isa.Op
		each   int    // dwords
		stride uint32 // of lanes, in dwords
		want   uint64
	}{
		{isa.Load, 1, 1, 8}, {isa.Load, 2, 2, 16}, {isa.Store, 1, 1, 12}, {isa.Store, 2, 2, 20},
		{isa.Load, 1, 0, 8}, {isa.Load, 1, 2, 8 + 4*1}, {isa.Load, 1, 32, 8 + 4*31}, {isa.Store, 1, 32, 12 + 4*31},
	} {
		d, st := newLDS(t, nil), newState(64)
		stride(st, c.stride*4)
		in, _, _ := apart(c.op, c.each, 16<<10)
		if got := d.Issue(0, st, 0, 64<<10, in); got.OwnUnitFreeAt != c.want || got.UnitFreeAt != c.want/2+uint64(got.ConflictPasses)/2 {
			t.Errorf("%v of two pieces of %d dwords, stride %d: busy %d, %d of the unit's bandwidth; want %d, conflicts whole and the rest half",
				c.op, c.each, c.stride, got.OwnUnitFreeAt, got.UnitFreeAt, c.want)
		}
	}
}

// TestTwoPiecesAreTwoAccesses: the same values, faults and conflicts as two accesses, in the time of both but what an access takes whatever its lanes.
func TestTwoPiecesAreTwoAccesses(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for range 3000 {
		lanes := 32 << r.Intn(2)
		op, each := []isa.Op{isa.Load, isa.Store}[r.Intn(2)], 1+r.Intn(2)
		both, first, second := apart(op, each, uint32(4*each*(1+r.Intn(255))))
		region := uint32(256 + 4*r.Intn(2000))
		one, two := newLDS(t, nil), newLDS(t, nil)
		st := newState(lanes)
		for i := range st.V {
			st.V[i] = r.Uint32()
		}
		if st.Exec &= r.Uint64(); r.Intn(3) == 0 {
			st.Exec = st.Full
		}
		r.Read(one.Bytes(0, region))
		copy(two.Bytes(0, region), one.Bytes(0, region))
		step := uint32(4 * each * (1 + r.Intn(3)))
		for l := range lanes {
			st.V[l] = uint32(l) * step
			if r.Intn(2) == 0 && op == isa.Load {
				st.V[l] = uint32(4 * r.Intn(600))
			}
		}
		if op == isa.Store { // pieces of different lanes do not meet
			both.Mem.PairStride = max(both.Mem.PairStride, uint32(lanes)*step)
			second.Mem.Offset = both.Mem.PairStride
		}
		other := *st
		other.V = slices.Clone(st.V)
		got := one.Issue(7, st, 0, region, both)
		x := *two.Issue(7, &other, 0, region, first)
		y := two.Issue(7, &other, 0, region, second)
		switch want := x.OwnUnitFreeAt - 7 + y.OwnUnitFreeAt - uint64(two.rows[kindOf(op, uint32(4*each))].FixedCycles); {
		case !slices.Equal(st.V, other.V) || !bytes.Equal(one.Bytes(0, region), two.Bytes(0, region)):
			t.Fatalf("%v of two pieces of %d, %d apart: other values than two accesses", op, each, both.Mem.PairStride)
		case one.Faults != two.Faults:
			t.Fatalf("%v of two pieces of %d, %d apart, %d bytes: %d faults, want %d", op, each, both.Mem.PairStride, region, one.Faults, two.Faults)
		case got.OwnUnitFreeAt != want || got.Passes != x.Passes+y.Passes || got.ConflictPasses != x.ConflictPasses+y.ConflictPasses:
			t.Fatalf("%v of two pieces of %d: %+v, want those of %+v and %+v", op, each, got, x, y)
		}
		plain(t, both, &other, two.Bytes(0, region), one.Bytes(0, region))
	}
}

// plain compares the quick way with what was found: it does the same where every lane is within its bytes.
func plain(t *testing.T, in *isa.Inst, st *isa.State, region, want []byte) {
	t.Helper()
	var d Values
	before := slices.Clone(st.V)
	p := FastAccessOf(in)
	if p == nil {
		t.Fatalf("%s is not plain", isa.Disasm(in))
	}
	if d.AccessFast(st, p, region); !slices.Equal(st.V, before) || !bytes.Equal(region, want) {
		t.Fatalf("%s: the quick way gives other values", isa.Disasm(in))
	}
}
