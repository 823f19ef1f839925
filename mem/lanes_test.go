package mem

import (
	"encoding/binary"
	"math"
	"math/rand"
	"sync"
	"testing"

	"spvsim/internal/spec"
	"spvsim/internal/suite"
	"spvsim/internal/timing"
	"spvsim/isa"
	"spvsim/mem/hierarchy"
)

var elementTypes = []isa.Type{isa.I8, isa.I16, isa.I32, isa.I64, isa.F16, isa.F32, isa.F64}

// TestEveryTypeAndWidth stores random rows and loads them into others, in both
// wave sizes, full and partial masks, packed and spread.
func TestEveryTypeAndWidth(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	for _, lanes := range []int{32, 64} {
		for _, typ := range elementTypes {
			for count := 1; count <= 4; count++ {
				size := uint32(typ.Bits()/8) * uint32(count)
				for _, stride := range []uint32{size, size + 4, 2048} {
					for _, exec := range []uint64{^uint64(0), 0x5555_0001_FF00_1777} {
						storeAndLoad(t, r, lanes, typ, count, stride, exec)
					}
				}
			}
		}
	}
}

func storeAndLoad(t *testing.T, r *rand.Rand, lanes int, typ isa.Type, count int, stride uint32, exec uint64) {
	t.Helper()
	b := newBench(t, 64*2048+64)
	b.st = newState(lanes)
	b.st.Exec &= exec
	b.index(0, stride)
	for i := lanes; i < len(b.st.V); i++ {
		b.st.V[i] = r.Uint32() & uint32(typ.Mask())
	}
	b.port.Issue(0, b.st, &b.env, access(isa.Store, typ, count))
	load := access(isa.Load, typ, count)
	for k := range count {
		load.Mem.Dsts[k] = isa.V(40 + k*typ.Rows())
	}
	before := append([]uint32(nil), b.st.V...)
	b.port.Issue(0, b.st, &b.env, load)
	for i := range lanes * count * typ.Rows() {
		want := before[8*lanes+i]
		if b.st.Exec>>uint(i%lanes)&1 == 0 {
			want = before[40*lanes+i]
		}
		if got := b.st.V[40*lanes+i]; got != want {
			t.Fatalf("wave%d %v x%d stride %d exec %x: word %d = %#x, want %#x", lanes, typ, count, stride, exec, i, got, want)
		}
	}
	if b.store.Faults.Count != 0 {
		t.Fatalf("%v", b.store.Faults.First)
	}
}

// TestOutOfBounds: element by element, on the fast and on the general path.
func TestOutOfBounds(t *testing.T) {
	for _, typ := range []isa.Type{isa.I32, isa.I16} {
		size := uint64(typ.Bits() / 8)
		b := newBench(t, size*65) // lane 32 has one element left, later lanes none
		for i := range b.buf.Bytes {
			b.buf.Bytes[i] = 0xAB
		}
		b.index(0, 2*uint32(size))
		in := access(isa.Load, typ, 2)
		in.SPIRV = 77
		for i := 64; i < len(b.st.V); i++ {
			b.st.V[i] = 5
		}
		b.port.Issue(0, b.st, &b.env, in)
		for l := range 64 {
			for k := range 2 {
				want := uint32(0)
				if 2*l+k < 65 {
					want = 0xABABABAB & uint32(typ.Mask())
				}
				if got := b.st.V[(8+k)*64+l]; got != want {
					t.Errorf("%v lane %d result %d = %#x, want %#x", typ, l, k, got, want)
				}
			}
		}
		f := b.store.Faults
		if f.Count != 63 || len(f.First) != maxFaults || f.First[0].Lane != 32 || f.First[0].SPIRV != 77 || f.First[0].Size != size*65 {
			t.Errorf("%v: %d faults, first %v; want 63 from lane 32 on", typ, f.Count, f.First[0])
		}
		b.port.Issue(0, b.st, &b.env, access(isa.Store, typ, 2))
		if b.store.Faults.Count != 126 {
			t.Errorf("%v: %d faults after the store, want 126", typ, b.store.Faults.Count)
		}
	}
}

// TestNegativeIndexIsOutside: offsets are taken modulo 2^32, as the base and
// the index are added.
func TestNegativeIndexIsOutside(t *testing.T) {
	b := newBench(t, 256)
	b.fillIota()
	in := access(isa.Load, isa.I32, 1)
	in.Mem.Base, in.Mem.Offset = isa.Lit(1<<32-8), 8
	b.index(0, 4)
	b.port.Issue(0, b.st, &b.env, in)
	if b.st.V[8*64+5] != 16 || b.store.Faults.Count != 0 {
		t.Errorf("lane 5 = %d with %d faults, want 16 and none", b.st.V[8*64+5], b.store.Faults.Count)
	}
	in.Mem.Offset = 4
	b.port.Issue(0, b.st, &b.env, in)
	if b.st.V[8*64] != 0 || b.st.V[8*64+1] != 1 || b.store.Faults.Count != 1 {
		t.Errorf("lanes 0 and 1 = %d, %d with %d faults, want 0, 1 and one", b.st.V[8*64], b.st.V[8*64+1], b.store.Faults.Count)
	}
}

func TestDescriptors(t *testing.T) {
	b := newBench(t, 64)
	var list []Descriptor
	for i := range 3 {
		buf := suite.Must(b.store.Alloc(16, "element"))(t)
		binary.LittleEndian.PutUint32(buf.Bytes, uint32(100+i))
		list = append(list, DescriptorOf(buf))
	}
	b.env.Bind(list...)
	binary.LittleEndian.PutUint32(b.buf.Bytes, 99)
	cases := []struct {
		name    string
		binding int
		dynamic bool
		index   isa.Reg
		want    func(l int) uint32
	}{
		{"constant element", 1, false, isa.Lit(2), func(int) uint32 { return 102 }},
		{"element by lane", 1, false, isa.V(2), func(l int) uint32 { return []uint32{100, 101, 102, 0}[l%4] }},
		{"absolute index", 0, true, isa.V(2), func(l int) uint32 { return uint32(99 + l%4) }},
		{"outside", 1, false, isa.Lit(3), func(int) uint32 { return 0 }},
	}
	for _, c := range cases {
		in := access(isa.Load, isa.I32, 1)
		in.Mem.Binding, in.Mem.Dynamic, in.Mem.BindingIndex, in.Mem.Index = c.binding, c.dynamic, c.index, isa.Reg{}
		for l := range 64 {
			b.st.V[2*64+l] = uint32(l % 4)
		}
		b.port.Issue(0, b.st, &b.env, in)
		for l := range 64 {
			if got := b.st.V[8*64+l]; got != c.want(l) {
				t.Errorf("%s: lane %d = %d, want %d", c.name, l, got, c.want(l))
			}
		}
	}
	size := &isa.Inst{Op: isa.BufferSize, Dst: isa.S(3), Mem: &isa.Mem{Access: isa.Access{Binding: 1}, BindingIndex: isa.Lit(1)}}
	if b.port.Issue(0, b.st, &b.env, size); b.st.S[3] != 16 {
		t.Errorf("size %d, want 16", b.st.S[3])
	}
}

func TestFlatAddresses(t *testing.T) {
	b := newBench(t, 256)
	other := suite.Must(b.store.Alloc(100, "other"))(t)
	b.fillIota()
	binary.LittleEndian.PutUint32(other.Bytes[96:], 4242)
	in := access(isa.Load, isa.I32, 1)
	in.Mem.Space = isa.SpaceFlat
	addrs := []uint64{b.buf.Addr + 8, other.Addr + 96, other.Addr + 98, 0, b.buf.Addr + 256}
	for l, a := range addrs {
		b.st.V[l], b.st.V[64+l] = uint32(a), uint32(a>>32)
	}
	b.st.Exec = 1<<len(addrs) - 1
	b.port.Issue(0, b.st, &b.env, in)
	for l, want := range []uint32{7, 4242, 0, 0, 0} {
		if got := b.st.V[8*64+l]; got != want {
			t.Errorf("lane %d = %d, want %d", l, got, want)
		}
	}
	if b.store.Faults.Count != 3 || b.store.Faults.First[1].Offset != 0 || b.store.Faults.First[1].Where != "" {
		t.Errorf("faults %v, want 3, the second at address 0", b.store.Faults.First)
	}
}

// TestScalarLoad: one value, whatever the execution mask.
func TestScalarLoad(t *testing.T) {
	b := newBench(t, 256)
	b.fillIota()
	r := suite.Must(b.store.Reserve(12, "push constants"))(t)
	b.env.Push, b.env.PushAddr = []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0}, r.Addr
	for _, c := range []struct {
		space isa.Space
		want  [2]uint64
	}{{isa.SpaceBuffer, [2]uint64{7, 10}}, {isa.SpacePush, [2]uint64{3, 0}}} {
		b.st.Exec = 0
		b.st.S[1] = 4
		in := &isa.Inst{Op: isa.Load, Mem: &isa.Mem{Access: isa.Access{Space: c.space, Offset: 4, Elem: isa.I32, Count: 2}, Base: isa.S(1), Scalar: true}}
		in.Mem.Dsts = [4]isa.Reg{isa.S(5), isa.S(6)}
		b.port.Issue(0, b.st, &b.env, in)
		if b.st.S[5] != c.want[0] || b.st.S[6] != c.want[1] {
			t.Errorf("space %d: %d, %d, want %v", c.space, b.st.S[5], b.st.S[6], c.want)
		}
		if n := len(b.port.Request().Lines); n != 1 {
			t.Errorf("space %d: %d lines, want 1", c.space, n)
		}
	}
	if b.store.Faults.Count != 1 {
		t.Errorf("%d faults, want the one past the push constants", b.store.Faults.Count)
	}
}

func TestScratch(t *testing.T) {
	b := newBench(t, 64)
	list := suite.Must(NewScratch(b.store, 2, 8, 64))(t)
	list[1].Ready(8, 64)
	b.env.Scratch = &list[1]
	for l := range 64 {
		b.st.V[l] = uint32(l % 3)
		b.st.V[8*64+l], b.st.V[9*64+l] = uint32(l), uint32(1000+l)
	}
	store := access(isa.Store, isa.I64, 1)
	store.Mem.Space, store.Mem.Offset = isa.SpaceScratch, 2
	b.port.Issue(0, b.st, &b.env, store)
	load := access(isa.Load, isa.I64, 1)
	load.Mem.Space, load.Mem.Offset, load.Mem.Dsts[0] = isa.SpaceScratch, 2, isa.V(20)
	b.port.Issue(0, b.st, &b.env, load)
	for l := range 64 {
		if b.st.V[20*64+l] != uint32(l) || b.st.V[21*64+l] != uint32(1000+l) {
			t.Fatalf("lane %d = %d, %d", l, b.st.V[20*64+l], b.st.V[21*64+l])
		}
	}
	load.Mem.Index, load.Mem.Elem = isa.Reg{}, isa.I32
	b.port.Issue(0, b.st, &b.env, load)
	if n := len(b.port.Request().Lines); n != 4 {
		t.Errorf("a slot that all lanes read: %d lines of 64 bytes, want 4", n)
	}
	load.Mem.Offset = 8
	if b.port.Issue(0, b.st, &b.env, load); b.store.Faults.Count != 64 {
		t.Errorf("%d faults, want 64", b.store.Faults.Count)
	}
}

func TestLinesOfAnAccess(t *testing.T) {
	cases := []struct {
		name   string
		count  int
		stride uint32
		base   uint64
		exec   uint64
		lines  int
		busy   uint64
	}{
		{"unit", 1, 4, 0, ^uint64(0), 4, 4},
		{"unit, unaligned", 1, 4, 4, ^uint64(0), 5, 5},
		{"broadcast", 1, 0, 0, ^uint64(0), 1, 4},
		{"x4: 1024 bytes at 64 a cycle", 4, 16, 0, ^uint64(0), 16, 16},
		{"rows", 1, 2048, 0, ^uint64(0), 64, 64},
		{"one lane", 1, 4, 0, 1 << 63, 1, 1},
		{"half", 1, 4, 0, 0xFFFFFFFF, 2, 2},
		{"across two lines", 4, 0, 56, 1, 2, 2},
		{"every other line", 1, 128, 0, 15, 4, 4},
		{"past the end in part", 4, 1, 64*2048 + 48, 3, 1, 1},
	}
	for _, c := range cases {
		for _, op := range []isa.Op{isa.Load, isa.Store} {
			b := newBench(t, 64*2048+64)
			b.index(0, c.stride)
			b.st.Exec, b.st.S[1] = c.exec, c.base
			in := access(op, isa.F32, c.count)
			in.Mem.Base = isa.S(1)
			got := b.port.Issue(0, b.st, &b.env, in)
			if lines := len(b.port.Request().Lines); lines != c.lines || got.UnitFreeAt != c.busy {
				t.Errorf("%s, %v: %d lines, busy %d; want %d, %d", c.name, op, lines, got.UnitFreeAt, c.lines, c.busy)
			}
		}
	}
}

// A port without time counts the bytes that each lane moves, the same whether lines are brought in or not.
func TestValuePortsCountWhatLanesMove(t *testing.T) {
	add := access(isa.AtomicIAdd, isa.I32, 1)
	add.Dst, add.Src[0], add.Mem.Dsts = isa.V(30), isa.Lit(1), [4]isa.Reg{}
	for _, warm := range []bool{false, true} {
		b := newBench(t, 64*16)
		spec := FunctionalPort{Store: b.store}
		if warm {
			spec.Warm = b.h
		}
		p := spec.New()
		for _, c := range []struct {
			in           *isa.Inst
			stride       uint32
			exec         uint64
			kind         hierarchy.Kind
			bytes        uint64
			changesAfter uint64
		}{
			{access(isa.Load, isa.I32, 1), 4, ^uint64(0), hierarchy.Read, 64 * 4, 0},
			{access(isa.Load, isa.I32, 2), 0, 3, hierarchy.Read, 2 * 8, 0},
			{access(isa.Load, isa.I32, 4), 16, 0xFF, hierarchy.Read, 8 * 16, 0},
			{access(isa.Store, isa.I32, 4), 16, ^uint64(0), hierarchy.Write, 64 * 16, 1},
			{access(isa.Store, isa.I16, 1), 16, 5, hierarchy.Write, 2 * 2, 2},
			{add, 0, 7, hierarchy.Atomic, 3 * 4, 5},
			{add, 64 * 16, 6, hierarchy.Atomic, 0, 5}, // out of bounds
		} {
			before := p.Functional().MovedBytes
			b.index(0, c.stride)
			b.st.Exec = c.exec
			p.Issue(0, b.st, &b.env, c.in)
			after := p.Functional().MovedBytes
			want := before
			if want[c.kind] += c.bytes; after != want || p.Functional().Modifications != c.changesAfter {
				t.Errorf("warm %v, %v of stride %d under %#x: moved %v and changed %d, want %v and %d",
					warm, c.in.Op, c.stride, c.exec, after, p.Functional().Modifications, want, c.changesAfter)
			}
		}
	}
}

// Atomic operations of ports on several goroutines lose nothing, on one line and on lines that share no lock.
func TestValuePortsKeepAtomicsWhole(t *testing.T) {
	const rounds, workers = 500, 4
	b := newBench(t, 64*64)
	locks := new(Locks)
	var done sync.WaitGroup
	for range workers {
		p, st := FunctionalPort{Store: b.store, Locks: locks}.New(), newState(64)
		for l := range 64 {
			st.V[l] = uint32(l / 2 * 64) // two lanes a line
		}
		in := access(isa.AtomicIAdd, isa.I32, 1)
		in.Dst, in.Src[0], in.Mem.Dsts = isa.V(30), isa.Lit(1), [4]isa.Reg{}
		done.Go(func() {
			for range rounds {
				p.Issue(0, st, &b.env, in)
			}
		})
	}
	done.Wait()
	for line := range 32 {
		if got := binary.LittleEndian.Uint32(b.buf.Bytes[line*64:]); got != 2*rounds*workers {
			t.Errorf("line %d: %d, want %d", line, got, 2*rounds*workers)
		}
	}
}

func TestAtomics(t *testing.T) {
	f32 := func(v float32) uint64 { return uint64(math.Float32bits(v)) }
	f64 := math.Float64bits
	cases := []struct {
		op                isa.Op
		t                 isa.Type
		old, v, cmp, want uint64
	}{
		{isa.AtomicIAdd, isa.I8, 250, 10, 0, 4},
		{isa.AtomicIAdd, isa.I64, 1<<32 - 1, 1, 0, 1 << 32},
		{isa.AtomicISub, isa.I16, 0, 1, 0, 0xFFFF},
		{isa.AtomicSMin, isa.I8, 0x80, 1, 0, 0x80},
		{isa.AtomicUMin, isa.I8, 0x80, 1, 0, 1},
		{isa.AtomicSMax, isa.I32, 0xFFFFFFFF, 3, 0, 3},
		{isa.AtomicUMax, isa.I32, 0xFFFFFFFF, 3, 0, 0xFFFFFFFF},
		{isa.AtomicAnd, isa.I32, 12, 10, 0, 8},
		{isa.AtomicOr, isa.I32, 12, 10, 0, 14},
		{isa.AtomicXor, isa.I64, 12, 10, 0, 6},
		{isa.AtomicExchange, isa.I64, 1, 1 << 40, 0, 1 << 40},
		{isa.AtomicExchange, isa.F32, 1, f32(2), 0, f32(2)},
		{isa.AtomicCompareExchange, isa.I32, 5, 9, 5, 9},
		{isa.AtomicCompareExchange, isa.I32, 5, 9, 6, 5},
		{isa.AtomicIInc, isa.I32, 1<<32 - 1, 0, 0, 0},
		{isa.AtomicIDec, isa.I16, 0, 0, 0, 0xFFFF},
		{isa.AtomicFAdd, isa.F32, f32(1.5), f32(2.25), 0, f32(3.75)},
		{isa.AtomicFAdd, isa.F64, f64(1), f64(1e-3), 0, f64(1 + 1e-3)},
		{isa.AtomicFAdd, isa.F16, 0x3C00, 0x3C00, 0, 0x4000},
		{isa.AtomicFMin, isa.F32, f32(float32(math.NaN())), f32(2), 0, f32(2)},
		{isa.AtomicFMax, isa.F64, f64(-1), f64(-2), 0, f64(-1)},
		{isa.AtomicFMax, isa.F16, 0xBC00, 0x3C00, 0, 0x3C00},
		{isa.AtomicLoad, isa.I32, 7, 0, 0, 7},
		{isa.AtomicStore, isa.I16, 7, 9, 0, 9},
	}
	for _, c := range cases {
		b := newBench(t, 64)
		binary.LittleEndian.PutUint64(b.buf.Bytes, c.old)
		in := &isa.Inst{Op: c.op, T: c.t, Dst: isa.V(30), Src: [4]isa.Reg{isa.Lit(c.v), isa.Lit(c.cmp)},
			Mem: &isa.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Elem: c.t, Count: 1}}}
		b.st.Exec = 1 << 17
		b.port.Issue(0, b.st, &b.env, in)
		if got := binary.LittleEndian.Uint64(b.buf.Bytes) & c.t.Mask(); got != c.want {
			t.Errorf("op %d %v: %#x, want %#x", c.op, c.t, got, c.want)
		}
		got := uint64(b.st.V[30*64+17]) | uint64(b.st.V[31*64+17])<<32
		if want := c.old; c.op != isa.AtomicStore && got != want {
			t.Errorf("op %d %v: result %#x, want the old %#x", c.op, c.t, got, want)
		}
	}
}

func TestAtomicsMeet(t *testing.T) {
	b := newBench(t, 64)
	in := access(isa.AtomicIAdd, isa.I32, 1)
	in.Mem.Index, in.Dst, in.Src[0] = isa.Reg{}, isa.V(30), isa.Lit(1)
	in.Mem.Dsts = [4]isa.Reg{}
	b.port.Issue(0, b.st, &b.env, in)
	one := b.port.Issue(10000, b.st, &b.env, in).ReadyAt
	b.st.Exec = 1
	alone := b.port.Issue(20000, b.st, &b.env, in).ReadyAt
	const updates, lanes = 63, 3 // 16 lanes a cycle: the line leaves in the fourth
	if got := (one - 10000) - (alone - 20000); got != updates+lanes {
		t.Errorf("64 lanes on one element take %d cycles more than one lane, want %d", got, updates+lanes)
	}
	if got := binary.LittleEndian.Uint32(b.buf.Bytes); got != 129 {
		t.Errorf("count %d, want 129", got)
	}
	for l := range 64 {
		if want := uint32(64 + l); l > 0 && b.st.V[30*64+l] != want {
			t.Errorf("lane %d saw %d, want %d", l, b.st.V[30*64+l], want)
		}
	}
}

// TestNothingIsAllocated on the paths that every run takes.
func TestNothingIsAllocated(t *testing.T) {
	b := newBench(t, 64*2048+64)
	b.index(0, 2048)
	flat := access(isa.Load, isa.I32, 1)
	flat.Mem.Space, flat.Mem.Index = isa.SpaceFlat, isa.V(1)
	for _, in := range []*isa.Inst{access(isa.Load, isa.I32, 4), access(isa.Store, isa.F64, 1), access(isa.AtomicIAdd, isa.I32, 1), flat} {
		b.port.Issue(0, b.st, &b.env, in)
		if n := testing.AllocsPerRun(100, func() { b.port.Issue(0, b.st, &b.env, in) }); n != 0 {
			t.Errorf("op %d: %v allocations", in.Op, n)
		}
	}
}

// Lanes that store to one place leave what the highest of them has, with time and without; each moves its bytes, or faults.
func TestStoresToOnePlace(t *testing.T) {
	for _, c := range []struct {
		base   uint64 // of a buffer of 64 bytes
		exec   uint64
		want   uint32
		moved  uint64
		faults uint64
	}{
		{0, 0x16, 1004, 3 * 8, 0}, {56, ^uint64(0), 1063, 64 * 8, 0}, {60, 0x3, 1001, 2 * 4, 2}, {64, 0x7, 0, 0, 6}, {8, 0, 0, 0, 0},
	} {
		for _, timed := range []bool{false, true} {
			b := newBench(t, 64)
			p := FunctionalPort{Store: b.store}.New()
			if timed {
				p = b.port
			}
			in := access(isa.Store, isa.I32, 2)
			in.Mem.Space, in.Mem.Index, in.Mem.Base = isa.SpaceFlat, isa.Reg{}, isa.S(0)
			b.st.S[0], b.st.Exec = b.buf.Addr+c.base, c.exec
			for l := range 64 {
				b.st.V[8*64+l], b.st.V[9*64+l] = uint32(1000+l), uint32(2000+l)
			}
			p.Issue(0, b.st, &b.env, in)
			if c.base < 64 && binary.LittleEndian.Uint32(b.buf.Bytes[c.base:]) != c.want {
				t.Errorf("timed %v, %+v: %v", timed, c, b.buf.Bytes)
			}
			if b.store.Faults.Count != c.faults {
				t.Errorf("timed %v, %+v: %d faults", timed, c, b.store.Faults.Count)
			}
			if !timed && p.Functional().MovedBytes[hierarchy.Write] != c.moved {
				t.Errorf("%+v: %d bytes", c, p.Functional().MovedBytes[hierarchy.Write])
			}
		}
	}
}

// The updates of an instruction that meet an element which an earlier lane updates are counted on that element's line, and no others.
func TestUpdatesThatMeetAreOfTheirLine(t *testing.T) {
	for _, typ := range []isa.Type{isa.I32, isa.I64} {
		size := uint64(typ.Bits() / 8)
		r := rand.New(rand.NewSource(9))
		for range 50 {
			b := newBench(t, 2048)
			in := access(isa.AtomicIAdd, typ, 1)
			in.Dst, in.Src[0], in.Mem.Dsts = isa.V(30), isa.Lit(1), [4]isa.Reg{}
			b.st.Exec = r.Uint64() | r.Uint64()
			want, seen := map[uint64]uint32{}, map[uint64]bool{}
			few := 1 + r.Int63n(200)
			for l := range uint64(64) {
				at := uint64(r.Int63n(few)) * size
				b.st.V[int(in.Mem.Index.Index)*64+int(l)] = uint32(at)
				if at += b.buf.Addr; b.st.Exec>>l&1 != 0 {
					if seen[at] {
						want[at&^63]++
					}
					seen[at] = true
				}
			}
			b.port.Issue(0, b.st, &b.env, in)
			for _, line := range b.port.lanes.w.lines {
				if line.Serial != want[line.Addr&^63] {
					t.Fatalf("%v: %d updates meet on the line at %#x, want %d", typ, line.Serial, line.Addr, want[line.Addr&^63])
				}
				delete(want, line.Addr&^63)
			}
			for at, n := range want {
				if n > 0 {
					t.Errorf("%v: no line at %#x, on which %d updates meet", typ, at, n)
				}
			}
		}
	}
}

// drawnAccess is an access of a wave drawn at random: elements of one or two words, lanes a stride apart, some of them outside.
type drawnAccess struct {
	elem   isa.Type
	count  int
	stride uint32
	base   uint64
	exec   uint64
	before uint64 // of flat accesses: how much lower the base is than it could be, which the lanes' indices add
	spec   string
}

// accessedBytes are those of the buffer.
const accessedBytes = 64*64 + 16

// accessSpecs are the address paths on which every loop has to take the same.
var accessSpecs = map[string]func(*hierarchy.Spec){
	"lines":  func(*hierarchy.Spec) {},
	"blocks": func(s *hierarchy.Spec) { s.VectorMemory.BlockBytes = 64 },
	"banks":  func(s *hierarchy.Spec) { s.VectorMemory.BankSpec = rdnaVectorBanks() },
	"pages":  func(s *hierarchy.Spec) { s.VectorMemory.TranslationBytes, s.VectorMemory.TranslationCycles = 8192, 2 },
}

// drawAccesses gives n accesses on each address path to a function.
func drawAccesses(n int, do func(*drawnAccess)) {
	r := rand.New(rand.NewSource(5))
	for range n {
		x := drawnAccess{isa.I32, 1 + r.Intn(4), uint32(r.Intn(80)), uint64(r.Intn(300)), r.Uint64(), 0, ""}
		if r.Intn(2) == 0 {
			x.elem = isa.I64
		}
		if x.stride == 79 {
			x.stride = 2048
		}
		if last := uint64(x.stride) * 63; r.Intn(3) == 0 && last < accessedBytes-40 {
			x.base = accessedBytes - last - uint64(r.Intn(40)) // the last lane is partly outside
		}
		if r.Intn(2) == 0 {
			x.stride, x.base = x.stride&^3, x.base&^3
		}
		if r.Intn(2) == 0 {
			x.exec = ^uint64(0)
		}
		// The base is the start of the buffer, none, near it, such that some lanes' indices carry, or any.
		x.before = []uint64{0, firstAddress, uint64(r.Intn(400)), -uint64(r.Intn(4096)), 5<<32 - uint64(r.Intn(4096)), r.Uint64()}[r.Intn(6)]
		for x.spec = range accessSpecs {
			do(&x)
		}
	}
}

// on is a bench on which the access comes next.
func (x *drawnAccess) on(t *testing.T) *bench {
	b := newBench(t, accessedBytes)
	s, shape := hierarchy.DefaultSpec(), &spec.Shape{ShaderEngines: 4, ComputeUnits: 16}
	accessSpecs[x.spec](&s)
	b.h = hierarchy.NewAnalytic(&s, shape)
	b.port = NewPorts(b.store, b.h, &s, shape)[0]
	b.fillIota()
	for i := range b.st.V {
		b.st.V[i] = uint32(i) * 7
	}
	b.index(0, x.stride)
	clear(b.st.V[64:128])
	b.st.Exec, b.st.S[1], b.st.S[4] = x.exec, x.base, 0x123456789abcdef0
	return b
}

// access is the instruction.
func (x *drawnAccess) access(op isa.Op) *isa.Inst {
	in := access(op, x.elem, x.count)
	in.Mem.Base = isa.S(1)
	return in
}

// flat is the access by flat addresses of the buffer.
func (x *drawnAccess) flat(b *bench, of *isa.Inst) *timing.Response {
	in, m := *of, *of.Mem
	in.Mem, m.Space, m.Index = &m, isa.SpaceFlat, isa.V(2)
	b.st.S[1] += b.buf.Addr - x.before
	for l := range 64 {
		index := uint64(b.st.V[l]) + x.before
		b.st.V[2*64+l], b.st.V[3*64+l] = uint32(index), uint32(index>>32)
	}
	return b.port.Issue(0, b.st, &b.env, &in)
}

// Flat addresses within one buffer have offsets in it, wherever their base is; of others, each lane looks for its own.
func TestFlatAddressesOfOneBuffer(t *testing.T) {
	b := newBench(t, 4096)
	other := suite.Must(b.store.Alloc(4096, "other"))(t)
	in := access(isa.Load, isa.I32, 1)
	in.Mem.Space, in.Mem.Base, in.Mem.Index, in.Mem.Offset = isa.SpaceFlat, isa.S(1), isa.V(2), 8
	for _, c := range []struct {
		name  string
		base  uint64
		start func(l int) uint64 // of a lane, less four bytes for each before it
		exec  uint64
		want  addressPattern
	}{
		{"the buffer's start as base", b.buf.Addr, func(int) uint64 { return 0 }, ^uint64(0), contiguous},
		{"whole addresses by lane", 0, func(int) uint64 { return b.buf.Addr }, ^uint64(0), contiguous},
		{"addresses of the second buffer", 0, func(int) uint64 { return other.Addr }, ^uint64(0), contiguous},
		{"some lanes", 0, func(int) uint64 { return b.buf.Addr }, 0xF0F0, inBounds},
		{"inactive lanes elsewhere", 0, func(l int) uint64 { return b.buf.Addr + uint64(l&1)<<32 }, 0x5555, inBounds},
		{"two buffers", 0, func(l int) uint64 { return []uint64{b.buf.Addr, other.Addr}[l/60] }, ^uint64(0), mayFault},
		{"past the end", b.buf.Addr, func(int) uint64 { return 4096 - 64*4 }, ^uint64(0), mayFault},
		{"4 GB from it", b.buf.Addr, func(l int) uint64 { return uint64(l/60) << 32 }, ^uint64(0), mayFault},
		{"a sum that carries", b.buf.Addr, func(l int) uint64 { return uint64(l/60) * (1<<32 - 300) }, ^uint64(0), mayFault},
		{"none", 0, func(int) uint64 { return 0 }, ^uint64(0), mayFault},
		{"no lane", b.buf.Addr, func(int) uint64 { return 0 }, 0, mayFault},
	} {
		b.st.S[1], b.st.Exec = c.base, c.exec
		for l := range 64 {
			v := c.start(l) + 4*uint64(l)
			b.st.V[2*64+l], b.st.V[3*64+l] = uint32(v), uint32(v>>32)
		}
		b.port.beginAccess(in.Mem, hierarchy.Read)
		if _, got := b.port.lanes.flatAddresses(b.st, in.Mem, 4); got != c.want {
			t.Errorf("%s: pattern %d, want %d", c.name, got, c.want)
		}
	}
}

// A load takes the same and gives the same whichever loop carries it out: that of a buffer that is known, that of a buffer that all lanes
// choose, that of flat addresses, or the general one. A store does, to rows and to what is the same in all lanes, and an atomic.
func TestAccessesTakeTheSameByEveryLoop(t *testing.T) {
	type result struct {
		response     timing.Response
		rows, memory string
		faults       uint64
	}
	drawAccesses(200, func(x *drawnAccess) {
		load, chosen, store, uniform, add := x.access(isa.Load), x.access(isa.Load), x.access(isa.Store), x.access(isa.Store), x.access(isa.AtomicIAdd)
		add.Mem.Count, add.Dst, add.Src[0], add.Mem.Dsts = 1, isa.V(30), isa.V(10), [4]isa.Reg{}
		chosen.Mem.BindingIndex = isa.V(1)
		uniform.Mem.Data[0] = isa.S(4)
		for i, ways := range [][]func(*bench) *timing.Response{{
			func(b *bench) *timing.Response { return b.port.loadGeneral(0, b.st, &b.env, load) },
			func(b *bench) *timing.Response { return b.port.Issue(0, b.st, &b.env, load) },
			func(b *bench) *timing.Response { return b.port.Issue(0, b.st, &b.env, chosen) },
			func(b *bench) *timing.Response { return x.flat(b, load) },
		}, {
			func(b *bench) *timing.Response { return b.port.storeGeneral(0, b.st, &b.env, store) },
			func(b *bench) *timing.Response { return b.port.Issue(0, b.st, &b.env, store) },
			func(b *bench) *timing.Response { return x.flat(b, store) },
		}, {
			func(b *bench) *timing.Response { return b.port.storeGeneral(0, b.st, &b.env, uniform) },
			func(b *bench) *timing.Response { return b.port.Issue(0, b.st, &b.env, uniform) },
			func(b *bench) *timing.Response { return x.flat(b, uniform) },
		}, {
			func(b *bench) *timing.Response { return b.port.Issue(0, b.st, &b.env, add) },
			func(b *bench) *timing.Response { return x.flat(b, add) },
		}} {
			var want result
			for j, way := range ways {
				b := x.on(t)
				response := *way(b)
				rows := suite.Must(binary.Append(nil, binary.LittleEndian, b.st.V[4*64:]))(t)
				got := result{response, string(rows), string(b.buf.Bytes), b.store.Faults.Count}
				if j == 0 {
					want = got
				} else if got != want {
					t.Fatalf("%+v, access %d, loop %d: %+v, %d faults, want %+v, %d of the general loop (rows alike: %t, memory: %t)", *x, i, j,
						got.response, got.faults, want.response, want.faults, got.rows == want.rows, got.memory == want.memory)
				}
			}
		}
	})
}
