package lds

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spvsim/internal/spec"
	"spvsim/isa"
)

func newLDS(tb testing.TB, edit func(*Spec)) *LDS {
	tb.Helper()
	s := DefaultSpec()
	if edit != nil {
		edit(&s)
	}
	if ps := spec.Check(&s); ps != nil {
		tb.Fatal(ps)
	}
	return New(&s)
}

func newState(lanes int) *isa.State {
	full := ^uint64(0) >> (64 - uint(lanes))
	return &isa.State{Lanes: lanes, Full: full, Exec: full, V: make([]uint32, 64*lanes), S: make([]uint64, 16)}
}

// access moves count elements; the offset is row 0, data are rows 8 on, the
// comparator of an atomic is row 20.
func access(op isa.Op, t isa.Type, count int) *isa.Inst {
	m := &isa.Mem{Access: isa.Access{Space: isa.SpaceLDS, Elem: t, Count: uint8(count)}, Index: isa.V(0)}
	in := &isa.Inst{Op: op, T: t, Mem: m}
	if op != isa.Load && op != isa.Store {
		in.Dst, in.Src[0], in.Src[1] = isa.V(30), isa.V(8), isa.V(20)
		return in
	}
	for k := range count {
		r := isa.V(8 + k*t.Rows())
		m.Dsts[k], m.Data[k] = r, r
	}
	return in
}

func stride(st *isa.State, bytes uint32) {
	for l := range st.Lanes {
		st.V[l] = uint32(l) * bytes
	}
}

type width struct {
	t     isa.Type
	count int
}

var widths = map[int]width{1: {isa.I32, 1}, 2: {isa.I64, 1}, 3: {isa.I32, 3}, 4: {isa.F32, 4}}

// published are the check points without conflict: cycles of a wave64 access of
// 1 to 4 dwords (CLRX, GcnTimings).
var published = map[isa.Op][5]uint64{isa.Load: {0, 4, 8, 16, 16}, isa.Store: {0, 8, 12, 16, 20}}

// group says which phase a lane of a wave is in, from the text: 32 bits in
// halves of 32 lanes, 64 bits in quarters, 96 and 128 bits in eight phases:
// consecutive, but for reads of 128 bits 0-3 with 20-23, 4-7 with 16-19, 8-11
// with 28-31, 12-15 with 24-27, then the same plus 32.
func group(op isa.Op, dwords, lane int) int {
	switch {
	case dwords == 1:
		return lane / 32
	case dwords == 2:
		return lane / 16
	case op == isa.Store || dwords == 3:
		return lane / 8
	}
	return lane/32*4 + [8]int{0, 1, 2, 3, 1, 0, 3, 2}[lane%32/4]
}

// extra counts conflicts in the plainest way: for each phase, the different
// dwords of the bank that has most of them, less one.
func extra(op isa.Op, dwords int, offsets []uint32, exec uint64) (total int) {
	phases := map[int]map[uint32]map[uint32]bool{}
	for l, off := range offsets {
		if exec>>uint(l)&1 == 0 {
			continue
		}
		g := group(op, dwords, l)
		if phases[g] == nil {
			phases[g] = map[uint32]map[uint32]bool{}
		}
		for k := range uint32(dwords) {
			word := off/4 + k
			if phases[g][word%32] == nil {
				phases[g][word%32] = map[uint32]bool{}
			}
			phases[g][word%32][word] = true
		}
	}
	for _, banks := range phases {
		most := 0
		for _, words := range banks {
			most = max(most, len(words))
		}
		total += most - 1
	}
	return total
}

func TestConflictsByStride(t *testing.T) {
	for _, lanes := range []int{32, 64} {
		for _, op := range []isa.Op{isa.Load, isa.Store} {
			for dwords := 1; dwords <= 4; dwords++ {
				for step := 0; step <= 64; step++ {
					checkStride(t, lanes, op, dwords, uint32(step))
				}
			}
		}
	}
}

func checkStride(t *testing.T, lanes int, op isa.Op, dwords int, step uint32) {
	t.Helper()
	d, st := newLDS(t, nil), newState(lanes)
	stride(st, step*4)
	w := widths[dwords]
	got := d.Issue(100, st, 0, 64<<10, access(op, w.t, w.count))
	conflicts := extra(op, dwords, st.V[:lanes], st.Full)
	busy := published[op][dwords]
	if lanes == 32 && op == isa.Load {
		busy /= 2
	}
	if lanes == 32 && op == isa.Store {
		busy = 4 + (busy-4)/2
	}
	busy += uint64(conflicts)
	if got.ConflictPasses != conflicts || got.OwnUnitFreeAt != 100+busy {
		t.Errorf("%d lanes, op %d, %d dwords, stride %d: %d conflicts, busy %d; want %d, %d",
			lanes, op, dwords, step, got.ConflictPasses, got.OwnUnitFreeAt-100, conflicts, busy)
	}
	if first := uint64(lanes / 16); got.ReadyAt != 100+busy-first {
		t.Errorf("ready %d, want %d cycles over a 32-bit read", got.ReadyAt, busy-first)
	}
}

// TestClosedForms holds figures that can be worked out on paper.
func TestClosedForms(t *testing.T) {
	cases := []struct {
		name   string
		op     isa.Op
		dwords int
		stride uint32 // dwords
		want   uint64
	}{
		{"read b32 unit", isa.Load, 1, 1, 4},
		{"read b32 broadcast", isa.Load, 1, 0, 4},
		{"read b32 stride 2: two-way", isa.Load, 1, 2, 4 + 2*1},
		{"read b32 stride 31 and 33: none", isa.Load, 1, 33, 4},
		{"read b32 stride 32: 32-way, +31 each half", isa.Load, 1, 32, 4 + 2*31},
		{"write b32 unit", isa.Store, 1, 1, 8},
		{"write b32 stride 32", isa.Store, 1, 32, 8 + 2*31},
		{"write b32 to one dword", isa.Store, 1, 0, 8},
		{"read b64 unit", isa.Load, 2, 2, 8},
		{"write b64 unit", isa.Store, 2, 2, 12},
		{"read b64 stride 32: 16-way, +15 each quarter", isa.Load, 2, 32, 8 + 4*15},
		{"read b96 packed", isa.Load, 3, 3, 16},
		{"write b96 packed", isa.Store, 3, 3, 16},
		{"read b128 unit", isa.Load, 4, 4, 16},
		{"write b128 unit", isa.Store, 4, 4, 20},
		{"write b128 stride 32: 8-way, +7 each of 8", isa.Store, 4, 32, 20 + 8*7},
	}
	for _, c := range cases {
		d, st := newLDS(t, nil), newState(64)
		stride(st, c.stride*4)
		w := widths[c.dwords]
		if got := d.Issue(0, st, 0, 64<<10, access(c.op, w.t, w.count)).OwnUnitFreeAt; got != c.want {
			t.Errorf("%s: busy %d, want %d", c.name, got, c.want)
		}
	}
}

// TestWideAccesses: more than 16 bytes a lane are two accesses.
func TestWideAccesses(t *testing.T) {
	d, st := newLDS(t, nil), newState(64)
	stride(st, 32)
	got := d.Issue(0, st, 0, 64<<10, access(isa.Load, isa.F64, 4))
	offsets := st.V[:64]
	conflicts := extra(isa.Load, 4, offsets, st.Full) * 2
	if got.ConflictPasses != conflicts || got.OwnUnitFreeAt != uint64(2*16+conflicts) {
		t.Errorf("%d conflicts, busy %d; want %d, %d", got.ConflictPasses, got.OwnUnitFreeAt, conflicts, 32+conflicts)
	}
}

// TestNarrowAtomics: lanes that update different bytes of one word follow each
// other, those that read them do not.
func TestNarrowAtomics(t *testing.T) {
	d, st := newLDS(t, nil), newState(64)
	stride(st, 2)
	if got := d.Issue(0, st, 0, 1024, access(isa.AtomicIAdd, isa.I16, 1)).ConflictPasses; got != 2 {
		t.Errorf("atomics: %d conflicts, want 1 in each half", got)
	}
	if got := d.Issue(0, st, 0, 1024, access(isa.Load, isa.I16, 1)).ConflictPasses; got != 0 {
		t.Errorf("reads: %d conflicts, want none", got)
	}
}

func TestAtomicTimes(t *testing.T) {
	cases := []struct {
		op   isa.Op
		t    isa.Type
		step uint32 // bytes
		want uint64
	}{
		{isa.AtomicIAdd, isa.I32, 4, 8},
		{isa.AtomicUMin, isa.I32, 4, 8},
		{isa.AtomicIAdd, isa.I64, 8, 12},
		{isa.AtomicCompareExchange, isa.I32, 4, 12},
		{isa.AtomicCompareExchange, isa.I64, 8, 20},
		{isa.AtomicIAdd, isa.I32, 0, 8 + 2*31},   // one address: 32 after each other in both halves
		{isa.AtomicIAdd, isa.I32, 128, 8 + 2*31}, // one bank
		{isa.AtomicIAdd, isa.I64, 0, 12 + 4*15},  // quarters
	}
	for _, c := range cases {
		d, st := newLDS(t, nil), newState(64)
		stride(st, c.step)
		if got := d.Issue(0, st, 0, 64<<10, access(c.op, c.t, 1)).OwnUnitFreeAt; got != c.want {
			t.Errorf("op %d %v step %d: busy %d, want %d", c.op, c.t, c.step, got, c.want)
		}
	}
}

func TestRandomPatterns(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	d, st := newLDS(t, nil), newState(64)
	for range 2000 {
		dwords := 1 + r.Intn(4)
		op := []isa.Op{isa.Load, isa.Store}[r.Intn(2)]
		st.Exec = r.Uint64() | 1
		for l := range 64 {
			st.V[l] = uint32(r.Intn(1+r.Intn(2000))) * 4
		}
		w := widths[dwords]
		if dwords == 2 {
			for l := range 64 {
				st.V[l] &^= 7
			}
		}
		offsets := append([]uint32(nil), st.V[:64]...)
		got := d.Issue(0, st, 512, 60<<10, access(op, w.t, w.count))
		if want := extra(op, dwords, offsets, st.Exec); got.ConflictPasses != want {
			t.Fatalf("op %d, %d dwords, exec %x, offsets %v: %d conflicts, want %d", op, dwords, st.Exec, offsets, got.ConflictPasses, want)
		}
	}
}

// TestMappings: a column of a 32x32 tile conflicts in every lane under modulo,
// and nowhere under the mappings that move each row.
func TestMappings(t *testing.T) {
	want := map[string]int{"modulo": 62, "xor": 0, "padded": 0}
	for name, conflicts := range want {
		d, st := newLDS(t, func(s *Spec) { s.Mapping = name }), newState(64)
		for l := range 64 {
			st.V[l] = uint32(l%32)*128 + uint32(l/32)*4
		}
		if got := d.Issue(0, st, 0, 64<<10, access(isa.Load, isa.I32, 1)).ConflictPasses; got != conflicts {
			t.Errorf("%s: %d conflicts, want %d", name, got, conflicts)
		}
	}
}

func TestValues(t *testing.T) {
	types := []isa.Type{isa.I8, isa.I16, isa.I32, isa.I64, isa.F16, isa.F32, isa.F64}
	r := rand.New(rand.NewSource(2))
	for _, typ := range types {
		for count := 1; count <= 4; count++ {
			for _, exec := range []uint64{^uint64(0), 0xAAAA_0001_FF00_7777} {
				checkValues(t, r, typ, count, exec)
			}
		}
	}
}

// checkValues stores random values and loads them back into other registers.
func checkValues(t *testing.T, r *rand.Rand, typ isa.Type, count int, exec uint64) {
	t.Helper()
	d, st := newLDS(t, nil), newState(64)
	size := uint32(typ.Bits()/8) * uint32(count)
	stride(st, size)
	st.Exec = exec
	for i := 64; i < len(st.V); i++ {
		st.V[i] = r.Uint32() & uint32(typ.Mask())
	}
	d.Issue(0, st, 1024, 32<<10, access(isa.Store, typ, count))
	load := access(isa.Load, typ, count)
	for k := range count {
		load.Mem.Dsts[k] = isa.V(40 + k*typ.Rows())
	}
	before := append([]uint32(nil), st.V...)
	d.Issue(0, st, 1024, 32<<10, load)
	for row := range count * typ.Rows() {
		for l := range 64 {
			want := before[(8+row)*64+l]
			if exec>>uint(l)&1 == 0 {
				want = before[(40+row)*64+l]
			}
			if got := st.V[(40+row)*64+l]; got != want {
				t.Fatalf("%v x%d exec %x: row %d lane %d = %#x, want %#x", typ, count, exec, row, l, got, want)
			}
		}
	}
	if d.Faults != 0 {
		t.Fatalf("%v x%d: %d faults", typ, count, d.Faults)
	}
}

// An offset that is one word for all lanes does what a row of that offset does, and costs as much.
func TestOneOffsetForAllLanes(t *testing.T) {
	for _, c := range []struct {
		op    isa.Op
		count int
		exec  uint64
		at    uint32
	}{
		{isa.Load, 1, ^uint64(0), 64}, {isa.Load, 4, ^uint64(0), 32}, {isa.Load, 4, 0xf0f0, 32}, {isa.Load, 3, ^uint64(0), 1024 - 8},
		{isa.Store, 1, ^uint64(0), 64}, {isa.Store, 2, 0xf0f0, 1024 - 4}, {isa.AtomicIAdd, 1, ^uint64(0), 16},
	} {
		row, word := newState(64), newState(64)
		d, e := newLDS(t, nil), newLDS(t, nil)
		for _, st := range []*isa.State{row, word} {
			st.Exec = c.exec
			for i := range st.V {
				st.V[i] = uint32(i)
			}
		}
		for l := range 64 {
			row.V[l] = c.at
		}
		word.S[3] = uint64(c.at)
		for i := range 1024 {
			d.memory()[i], e.memory()[i] = byte(i*7), byte(i*7)
		}
		in := access(c.op, isa.I32, c.count)
		want := *d.Issue(5, row, 0, 1024, in)
		in.Mem.Index = isa.S(3)
		got := *e.Issue(5, word, 0, 1024, in)
		if got != want || !slices.Equal(word.V[64:], row.V[64:]) || !slices.Equal(d.memory(), e.memory()) || d.Faults != e.Faults {
			t.Errorf("%+v: %+v, want %+v; or other values", c, got, want)
		}
	}
}

func TestHighestLaneWins(t *testing.T) {
	d, st := newLDS(t, nil), newState(64)
	stride(st, 0)
	st.Exec = 0x00FF_0000_0000_0001
	for l := range 64 {
		st.V[8*64+l] = uint32(l)
	}
	d.Issue(0, st, 0, 64, access(isa.Store, isa.I32, 1))
	if got := binary.LittleEndian.Uint32(d.Bytes(0, 4)); got != 55 {
		t.Errorf("lane %d won, want 55", got)
	}
}

func TestAtomicOrderAndResult(t *testing.T) {
	d, st := newLDS(t, nil), newState(64)
	stride(st, 0)
	for l := range 64 {
		st.V[8*64+l] = uint32(l)
	}
	d.Issue(0, st, 256, 64, access(isa.AtomicIAdd, isa.I32, 1))
	for l := range 64 {
		if want := uint32(l * (l - 1) / 2); st.V[30*64+l] != want {
			t.Errorf("lane %d saw %d, want %d", l, st.V[30*64+l], want)
		}
	}
	if got := binary.LittleEndian.Uint32(d.Bytes(256, 4)); got != 2016 {
		t.Errorf("sum %d, want 2016", got)
	}
}

func TestOutOfBounds(t *testing.T) {
	d, st := newLDS(t, nil), newState(64)
	for i := range d.Bytes(0, 1024) {
		d.Bytes(0, 1024)[i] = 0xEE
	}
	stride(st, 4)
	for l := range 64 {
		st.V[8*64+l] = 7
	}
	d.Issue(0, st, 0, 128, access(isa.Store, isa.I32, 1))
	d.Issue(0, st, 0, 128, access(isa.Load, isa.I32, 1))
	for l := range 64 {
		if want := map[bool]uint32{true: 7, false: 0}[l < 32]; st.V[8*64+l] != want {
			t.Errorf("lane %d read %d, want %d", l, st.V[8*64+l], want)
		}
	}
	if d.Bytes(128, 1)[0] != 0xEE {
		t.Error("a write past the end was kept")
	}
	if d.Faults != 64 || len(d.First) != maxFaults || d.First[0].Lane != 32 || d.First[0].Offset != 128 {
		t.Errorf("%d faults, first %v; want 64, lane 32 at byte 128", d.Faults, d.First)
	}
}

func TestCheckNamesEveryField(t *testing.T) {
	s := DefaultSpec()
	s.Banks, s.Mapping, s.MaxWorkgroupBytes = 33, "magic", s.Bytes+1
	s.Accesses.ReadB128.Lanes = []string{"0-3 2-5"}
	s.Accesses.WriteB32.Lanes = []string{"0-31", "31"}
	s.Accesses.WriteB64.Lanes = []string{"0-32"}
	var got []string
	for _, p := range spec.Check(&s) {
		got = append(got, p.Error())
	}
	want := []string{
		"banks: found 33: want a power of two in 1..1024",
		"mapping: found magic: want one of modulo, xor, padded",
		"accesses.read_b128.lanes: 6 lanes: want each of lanes 0 to 31 once",
		`accesses.write_b32.lanes: lanes "31": a lane is in two phases`,
		`accesses.write_b64.lanes: found "0-32": want lanes or ranges of lanes in 0-31`,
		"max_workgroup_bytes: found 65537: want at most lds.bytes, 65536",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Every mapping that a machine file may name exists, and every bank count has space in the tables.
func TestTagsMatchTheModel(t *testing.T) {
	for _, f := range spec.Fields(reflect.TypeFor[Spec]()) {
		switch f.Name {
		case "mapping":
			if words := slices.Sorted(maps.Keys(Mappings)); !slices.Equal(slices.Sorted(slices.Values(f.Enum)), words) {
				t.Errorf("mappings %v, the tag says %v", words, f.Enum)
			}
		case "banks":
			if f.High != maxBanks {
				t.Errorf("tables of %d banks, the tag says %g", maxBanks, f.High)
			}
		}
	}
}

func BenchmarkIssue(b *testing.B) {
	cases := []struct {
		op    isa.Op
		t     isa.Type
		count int
		step  uint32
	}{
		{isa.Load, isa.I32, 1, 4}, {isa.Load, isa.I32, 1, 0}, {isa.Load, isa.I32, 1, 128}, {isa.Load, isa.I32, 4, 16},
		{isa.Load, isa.F64, 1, 8}, {isa.Store, isa.I32, 1, 4}, {isa.Store, isa.F32, 4, 16}, {isa.AtomicIAdd, isa.I32, 1, 4},
	}
	for _, c := range cases {
		b.Run(fmt.Sprintf("op%d-%v-x%d-step%d", c.op, c.t, c.count, c.step), func(b *testing.B) {
			d, st := newLDS(b, nil), newState(64)
			stride(st, c.step)
			in := access(c.op, c.t, c.count)
			b.ReportAllocs()
			for b.Loop() {
				d.Issue(0, st, 0, 64<<10, in)
			}
		})
	}
}

// A plain load or store does what the access does that it is; it does nothing out of bounds, nor for idle lanes of which all would get the same.
func TestPlain(t *testing.T) {
	access := func(op isa.Op, index isa.Reg, count uint8) *isa.Inst {
		m := &isa.Mem{Access: isa.Access{Space: isa.SpaceLDS, Elem: isa.F32, Count: count, Offset: 4}, Base: isa.S(0), Index: index}
		for k := range count {
			m.Dsts[k], m.Data[k] = isa.V(2+int(k)), isa.V(2+int(k))
		}
		return &isa.Inst{Op: op, T: isa.F32, Mem: m}
	}
	for name, change := range map[string]func(in *isa.Inst){
		"an atomic":                 func(in *isa.Inst) { in.Op = isa.AtomicIAdd },
		"a store to one place":      func(in *isa.Inst) { in.Op = isa.Store },
		"rows apart":                func(in *isa.Inst) { in.Mem.Dsts[1] = isa.V(5) },
		"a scalar result":           func(in *isa.Inst) { in.Mem.Dsts[0] = isa.S(2) },
		"16-bit elements":           func(in *isa.Inst) { in.Mem.Elem = isa.F16 },
		"coherent":                  func(in *isa.Inst) { in.Mem.Coherent = true },
		"a scalar that is stored":   func(in *isa.Inst) { in.Op, in.Mem.Index, in.Mem.Data[1] = isa.Store, isa.V(0), isa.S(1) },
		"a literal that is stored ": func(in *isa.Inst) { in.Op, in.Mem.Index, in.Mem.Data[0] = isa.Store, isa.V(0), isa.Lit(1) },
	} {
		in := access(isa.Load, isa.S(1), 3)
		if change(in); FastAccessOf(in) != nil {
			t.Errorf("%s is taken for a plain one", name)
		}
	}
	for _, c := range []struct {
		op       isa.Op
		index    isa.Reg
		count    uint8
		at, exec uint64
		does     bool
	}{
		{isa.Load, isa.S(1), 3, 0, 1<<32 - 1, true}, {isa.Load, isa.S(1), 3, 496, 1<<32 - 1, true}, {isa.Load, isa.S(1), 3, 500, 1<<32 - 1, false},
		{isa.Load, isa.S(1), 3, 0, 1, false}, {isa.Load, isa.S(1), 3, 1<<32 - 4, 1<<32 - 1, true},
		{isa.Load, isa.V(0), 1, 0, 1<<32 - 1, true}, {isa.Load, isa.V(0), 2, 8, 0xff00f0f1, true}, {isa.Load, isa.V(0), 4, 64, 1 << 31, false}, {isa.Load, isa.V(0), 4, 64, 1, true},
		{isa.Store, isa.V(0), 1, 0, 1<<32 - 1, true}, {isa.Store, isa.V(0), 2, 8, 0xff00f0f1, true}, {isa.Store, isa.V(0), 4, 64, 1 << 31, false}, {isa.Store, isa.V(0), 2, 0, 0, true},
	} {
		in := access(c.op, c.index, c.count)
		p := FastAccessOf(in)
		got, want := isa.NewState(32, 6, 3), isa.NewState(32, 6, 3)
		region := make([]byte, 512)
		for i := range region {
			region[i] = byte(3 * i)
		}
		for i := range got.V {
			if got.V[i] = uint32(1000 + i); i < 32 {
				got.V[i] = uint32(15 * i) // some overlap, and none is a word's
			}
		}
		copy(want.V, got.V)
		other := slices.Clone(region)
		got.S[0], want.S[0], got.Exec, want.Exec = c.at, c.at, c.exec, c.exec
		var v, w Values
		if v.AccessFast(got, p, region) != c.does {
			t.Errorf("%+v: %t", c, !c.does)
		}
		if c.does {
			w.Access(want, in, other)
		}
		if !slices.Equal(got.V, want.V) || !slices.Equal(region, other) || v.ChangeCount != w.ChangeCount {
			t.Errorf("%+v: %v, want %v", c, got.V, want.V)
		}
	}
}

// A load whose offsets in a vector register are the same in all lanes, in all but one, or outside, is what Access makes of it; the index may be in a
// row that the load writes.
func TestPlainOffsetsThatAreAlike(t *testing.T) {
	region := make([]byte, 512)
	for i := range region {
		region[i] = byte(3 * i)
	}
	for _, c := range []struct {
		offset, odd uint32 // of lane 13
		exec        uint64
		does        bool
	}{{20, 20, 1<<32 - 1, true}, {20, 24, 1<<32 - 1, true}, {496, 496, 1<<32 - 1, true}, {500, 500, 1<<32 - 1, false}, {20, 20, 1<<31 - 1, true}, {20, 504, 1<<32 - 1, false}} {
		m := &isa.Mem{Access: isa.Access{Space: isa.SpaceLDS, Elem: isa.F32, Count: 3, Offset: 4}, Index: isa.V(3)}
		m.Dsts = [4]isa.Reg{isa.V(2), isa.V(3), isa.V(4)}
		in := &isa.Inst{Op: isa.Load, T: isa.F32, Mem: m}
		got, want := isa.NewState(32, 6, 3), isa.NewState(32, 6, 3)
		for l := range 32 {
			got.V[3*32+l] = c.offset
		}
		got.V[3*32+13] = c.odd
		copy(want.V, got.V)
		got.Exec, want.Exec = c.exec, c.exec
		var v, w Values
		if v.AccessFast(got, FastAccessOf(in), region) != c.does {
			t.Errorf("%+v: %t", c, !c.does)
		}
		if c.does {
			w.Access(want, in, slices.Clone(region))
		}
		if !slices.Equal(got.V, want.V) {
			t.Errorf("%+v: %v, want %v", c, got.V, want.V)
		}
	}
}

// An element that does not lie in the workgroup's bytes as a whole faults, each for itself: loads give zero there, stores and atomics change
// nothing, and the elements beside it are as they would be.
func TestElementsOutside(t *testing.T) {
	const bytes = 64
	for _, typ := range []isa.Type{isa.I8, isa.I16, isa.I32, isa.I64} {
		size := uint32(typ.Bits() / 8)
		for count := 1; count <= 4; count++ {
			for _, op := range []isa.Op{isa.Load, isa.Store, isa.AtomicIAdd} {
				if op == isa.AtomicIAdd && (count > 1 || size < 4) {
					continue
				}
				var d Values
				region := make([]byte, bytes)
				for i := range region {
					region[i] = byte(i + 1)
				}
				before := slices.Clone(region)
				st := newState(64)
				for l := range 64 {
					st.V[l] = uint32(l) * size
				}
				for i := 64 * 8; i < 64*40; i++ {
					st.V[i] = 0x7F7F7F7F
				}
				d.Access(st, access(op, typ, count), region)
				faults := uint64(0)
				for l := range uint32(64) {
					for k := range uint32(count) {
						if (l+k)*size+size > bytes {
							faults++
						}
					}
				}
				if d.Faults != faults {
					t.Errorf("op %d of %d x %v: %d faults, want %d", op, count, typ, d.Faults, faults)
				}
				if changed := !slices.Equal(region, before); changed != (op != isa.Load) {
					t.Errorf("op %d of %d x %v: memory changed: %t", op, count, typ, changed)
				}
				if op != isa.Load {
					continue
				}
				for l := range 64 {
					for k := range count {
						at, want := (l+k)*int(size), uint64(0)
						if at+int(size) <= bytes {
							for i := int(size) - 1; i >= 0; i-- {
								want = want<<8 | uint64(before[at+i])
							}
						}
						row := 8 + k*typ.Rows()
						got := uint64(st.V[64*row+l])
						if typ == isa.I64 {
							got |= uint64(st.V[64*(row+1)+l]) << 32
						}
						if got != want {
							t.Fatalf("%d x %v: lane %d, element %d is %#x, want %#x", count, typ, l, k, got, want)
						}
					}
				}
			}
		}
	}
}
