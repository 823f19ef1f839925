package opt

import (
	"slices"
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// one finds the only value of an operation.
func one(t *testing.T, f *ir.Func, op isa.Op) *ir.Value {
	t.Helper()
	var found *ir.Value
	eachValue(f, func(v *ir.Value) {
		if v.Op == op {
			found = v
		}
	})
	if n := count(f, op); n != 1 {
		t.Fatalf("%d of %v, want one:\n%s", n, op, printed(f))
	}
	return found
}

// (local + group*64)*4 + 20: the constant goes to the offset. Where buffers are descriptors each lane computes the rest as the
// source has it; where they are pointers the group's part and the lane's are summed.
func TestAddressParts(t *testing.T) {
	for _, pointers := range []bool{false, true} {
		b := newBuilder(t)
		b.f.Bindings = []ir.Binding{{Kind: ir.StorageBuffer, Count: 1, Writes: true}}
		group := b.op(isa.IMul, isa.I32, b.op(isa.WorkgroupIDX, isa.I32), b.c(64))
		sum := b.op(isa.IAdd, isa.I32, b.op(isa.LocalIDX, isa.I32), group)
		at := b.op(isa.IAdd, isa.I32, b.op(isa.IMul, isa.I32, sum, b.c(4)), b.c(20))
		b.store(word(0), at, b.c(1))
		b.ret()
		Run(b.f, Options{SelectBuffers: pointers})
		st := one(t, b.f, isa.Store)
		base, index, _, _ := st.MemArgs()
		if base != nil || index == nil || index.Uniform || st.Mem.Offset != 20 {
			t.Fatalf("pointers %v: store is %v", pointers, st)
		}
		outer, inner, by := isa.Shl, isa.IAdd, index.Args[0]
		if pointers {
			outer, inner, by = isa.IAdd, isa.Shl, index.Args[1]
		}
		if index.Op != outer || by.Op != inner {
			t.Errorf("pointers %v: index %v of %v; want %v of %v", pointers, index, by, outer, inner)
		}
	}
}

// Constants beyond the field of an instruction stay in the address, and are shared.
func TestFarOffsets(t *testing.T) {
	b := newBuilder(t)
	at := b.op(isa.Shl, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(2))
	for _, far := range []uint64{4096, 4100, 9000} {
		b.store(word(0), b.op(isa.IAdd, isa.I32, at, b.c(far)), b.op(isa.LocalIDY, isa.I32))
	}
	b.ret()
	Run(b.f, Options{})
	eachValue(b.f, func(v *ir.Value) {
		if v.Mem != nil && v.Mem.Offset > maxOffset {
			t.Errorf("offset %d of %v", v.Mem.Offset, v)
		}
	})
	if n := count(b.f, isa.IAdd); n != 2 {
		t.Errorf("%d additions, want one of 4096 and one of 8192:\n%s", n, printed(b.f))
	}
}

// LDS instructions have no scalar base: the sum is one index.
func TestAddressOfLDSHasNoBase(t *testing.T) {
	b := newBuilder(t)
	at := b.op(isa.IAdd, isa.I32, b.op(isa.LocalIDX, isa.I32), b.op(isa.WorkgroupIDX, isa.I32))
	b.store(ir.Mem{Access: isa.Access{Space: isa.SpaceLDS, Elem: isa.I32}}, at, b.c(1))
	b.readLDS(0, at)
	b.ret()
	Run(b.f, Options{})
	if st := one(t, b.f, isa.Store); st.Mem.HasBase || !st.Mem.HasIndex {
		t.Errorf("store is %v", st)
	}
}

// Loads of neighbours become one; LDS asks for alignment, or moves two pieces.
func TestMergeByAlignment(t *testing.T) {
	for _, c := range []struct {
		space isa.Space
		scale uint64
		loads int
	}{{isa.SpaceBuffer, 4, 1}, {isa.SpaceLDS, 16, 1}, {isa.SpaceLDS, 8, 1}, {isa.SpaceLDS, 4, 2}} {
		b := newBuilder(t)
		at := b.op(isa.IMul, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(c.scale))
		total := b.c(0)
		for i := range uint32(4) {
			total = b.op(isa.IAdd, isa.I32, total, b.load(ir.Mem{Access: isa.Access{Space: c.space, Elem: isa.I32, Offset: 4 * i}}, at))
		}
		b.store(word(1), at, total)
		b.ret()
		Run(b.f, Options{})
		if n := count(b.f, isa.Load); n != c.loads {
			t.Errorf("space %d, stride %d: %d loads, want %d", c.space, c.scale, n, c.loads)
		}
	}
}

// A store of words from several instructions is joined, one of a vector is not, although both are taken apart between.
func TestMergeTellsVectorsFromWords(t *testing.T) {
	for _, vector := range []bool{false, true} {
		b := newBuilder(t)
		at := b.op(isa.Shl, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(4))
		data := []*ir.Value{b.load(word(1), at), b.load(word(2), at), b.load(word(3), at), b.load(word(4), at)}
		m := word(0)
		if vector {
			b.store(m, append([]*ir.Value{at}, data...)...).Mem.Count = 4
		} else {
			for i, v := range data {
				m.Offset = uint32(4 * i)
				b.store(m, at, v)
			}
		}
		b.ret()
		Run(b.f, Options{})
		if st := one(t, b.f, isa.Store); st.Mem.Count != 4 || st.Mem.Joined == vector {
			t.Errorf("vector %t: %d words, joined %t", vector, st.Mem.Count, st.Mem.Joined)
		}
	}
}

// Coherent words merge where buffers are descriptors, but not with others.
func TestCoherentAccessesMerge(t *testing.T) {
	for _, c := range []struct {
		pointers, mixed bool
		want            int
	}{{false, false, 1}, {false, true, 2}, {true, false, 2}} {
		b := newBuilder(t)
		at := b.op(isa.Shl, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(3))
		for i := range uint32(2) {
			m := word(0)
			m.Offset, m.Coherent = 4*i, i == 0 || !c.mixed
			b.store(m, at, b.c(uint64(i)))
		}
		b.ret()
		Run(b.f, Options{SelectBuffers: c.pointers})
		if n := count(b.f, isa.Store); n != c.want {
			t.Errorf("pointers %v, one coherent alone %v: %d stores, want %d", c.pointers, c.mixed, n, c.want)
		}
	}
}

// LDS moves three words at once where they are aligned to 16 bytes, else two, which may be two pieces, and one.
func TestMergeOfThreeWords(t *testing.T) {
	for _, c := range []struct {
		space isa.Space
		scale uint64
		wide  []uint8 // elements of each access
	}{{isa.SpaceBuffer, 4, []uint8{3}}, {isa.SpaceLDS, 16, []uint8{3}}, {isa.SpaceLDS, 8, []uint8{2, 1}}, {isa.SpaceLDS, 4, []uint8{2, 1}}} {
		b := newBuilder(t)
		at := b.op(isa.IMul, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(c.scale))
		for i := range uint32(3) {
			part := func(object int) ir.Mem {
				return ir.Mem{Access: isa.Access{Space: c.space, Elem: isa.I32, Binding: object, Offset: 4 * i}, Object: object}
			}
			b.store(part(2), at, b.load(part(1), at))
		}
		b.readLDS(2, at)
		b.ret()
		Run(b.f, Options{})
		for _, op := range []isa.Op{isa.Load, isa.Store} {
			if got := counts(b.f, op); !slices.Equal(got, c.wide) {
				t.Errorf("space %d, stride %d: %v of %v elements, want %v", c.space, c.scale, op, got, c.wide)
			}
		}
	}
}

// counts are the elements of each access of a kind, in the order of the code.
func counts(f *ir.Func, op isa.Op) (list []uint8) {
	eachValue(f, func(v *ir.Value) {
		if v.Op == op {
			list = append(list, v.Mem.Count)
		}
	})
	return list
}

// A store that may hit the second word keeps the loads apart; one to another
// object does not.
func TestMergeStopsAtStores(t *testing.T) {
	for _, c := range []struct {
		object int
		loads  int
	}{{0, 2}, {7, 1}} {
		b := newBuilder(t)
		lane := b.op(isa.Shl, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(2))
		x := b.load(word(0), lane)
		m := word(c.object)
		b.store(m, b.op(isa.Shl, isa.I32, x, b.c(2)), b.c(9))
		second := word(0)
		second.Offset = 4
		y := b.load(second, lane)
		b.store(word(2), lane, b.op(isa.IAdd, isa.I32, x, y))
		b.ret()
		Run(b.f, Options{})
		if n := count(b.f, isa.Load); n != c.loads {
			t.Errorf("store to object %d: %d loads, want %d", c.object, n, c.loads)
		}
	}
}

// A store to the second word alone keeps a load of it behind, though it leaves
// the first word be.
func TestMergeMovesNoLoadPastItsStore(t *testing.T) {
	b := newBuilder(t)
	lane := b.op(isa.Shl, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(2))
	second := word(0)
	second.Offset = 4
	x := b.load(word(0), lane)
	wide := second
	wide.Elem = isa.I64
	b.store(wide, lane, b.ct(isa.I64, 7))
	y := b.load(second, lane)
	b.store(word(2), lane, b.op(isa.IAdd, isa.I32, x, y))
	b.ret()
	Run(b.f, Options{})
	if n := count(b.f, isa.Load); n != 2 {
		t.Errorf("%d loads, want 2", n)
	}
}

func multiplyAdd(t *testing.T, op isa.Op, noContract bool) *ir.Func {
	b := newBuilder(t)
	lane := b.op(isa.Shl, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(4))
	var x [3]*ir.Value
	for i := range x {
		m := word(0)
		m.Elem, m.Offset = isa.F32, 4*uint32(i)
		x[i] = b.load(m, lane)
	}
	product := b.op(isa.FMul, isa.F32, x[0], x[1])
	sum := b.op(op, isa.F32, x[2], product)
	sum.NoContract = noContract
	m := word(1)
	m.Elem = isa.F32
	b.store(m, lane, sum)
	b.ret()
	Run(b.f, Options{})
	return b.f
}

func TestContraction(t *testing.T) {
	for _, c := range []struct {
		op         isa.Op
		noContract bool
		fma, neg   int
	}{{isa.FAdd, false, 1, 0}, {isa.FSub, false, 1, 0}, {isa.FAdd, true, 0, 0}, {isa.FSub, true, 0, 0}} {
		f := multiplyAdd(t, c.op, c.noContract)
		if n := count(f, isa.Fma); n != c.fma || count(f, isa.FNeg) != c.neg || count(f, isa.FMul) != 1-n {
			t.Errorf("%v, no contraction %v:\n%s", c.op, c.noContract, printed(f))
		}
	}
}

// Integer fusions are for the vector unit, and for machines that have them.
func TestIntegerFusion(t *testing.T) {
	for _, c := range []struct {
		lane isa.Op
		t    isa.Type
		o    Options
		want isa.Op
	}{
		{isa.LocalIDX, isa.I32, Options{FuseMad: true}, isa.IMad}, {isa.LocalIDX, isa.I32, Options{FuseMad16: true}, isa.IMul},
		{isa.LocalIDX, isa.I16, Options{FuseMad16: true}, isa.IMad}, {isa.LocalIDX, isa.I16, Options{FuseMad: true}, isa.IMul},
		{isa.WorkgroupIDX, isa.I32, Options{FuseMad: true}, isa.IMul}, {isa.WorkgroupIDX, isa.I16, Options{FuseMad16: true}, isa.IMul},
	} {
		b := newBuilder(t)
		of := func(op isa.Op) *ir.Value {
			v := b.op(op, isa.I32)
			if c.t != isa.I32 {
				v = b.conv(isa.UConvert, c.t, isa.I32, v)
			}
			return v
		}
		v := b.op(isa.IAdd, c.t, b.op(isa.IMul, c.t, of(c.lane), of(isa.NumWorkgroupsX)), of(isa.NumWorkgroupsY))
		if c.t != isa.I32 {
			v = b.conv(isa.UConvert, isa.I32, c.t, v)
		}
		b.store(word(0), b.op(isa.LocalIDY, isa.I32), v)
		b.ret()
		Run(b.f, c.o)
		one(t, b.f, c.want)
	}
}

// A loop of n trips unrolls up to the limit, and its sum becomes a constant.
func TestUnrollLimit(t *testing.T) {
	for _, c := range []struct {
		trips, limit int
		unrolled     bool
	}{{10, 10, true}, {11, 10, false}, {0, 10, true}} {
		b, st := sumLoop(t, func(b *builder) *ir.Value { return b.c(uint64(c.trips)) })
		Run(b.f, Options{UnrollTrips: c.limit})
		sum := uint64(c.trips * (c.trips - 1) / 2)
		if got := isConst(st.Args[len(st.Args)-1], sum); got != c.unrolled {
			t.Errorf("%d trips, limit %d: constant sum %v\n%s", c.trips, c.limit, got, printed(b.f))
		}
	}
}

func TestUnrollIsForbidden(t *testing.T) {
	b, _ := sumLoop(t, func(b *builder) *ir.Value { return b.c(3) })
	b.f.Blocks[1].Unroll = 2
	Run(b.f, Options{})
	if count(b.f, isa.Phi) == 0 {
		t.Errorf("the loop is gone:\n%s", printed(b.f))
	}
}

// Sides of up to four operations become selections, of eight where buffers are descriptors; a load never does.
func TestIfConversion(t *testing.T) {
	for _, c := range []struct {
		ops      int
		load     bool
		pointers bool
		branches bool
	}{{1, false, true, false}, {4, false, true, false}, {5, false, true, true}, {8, false, false, false}, {9, false, false, true}, {1, true, true, true}, {1, true, false, true}} {
		b := newBuilder(t)
		b.f.Bindings = []ir.Binding{{Kind: ir.StorageBuffer, Count: 1}, {Kind: ir.StorageBuffer, Count: 1, Writes: true}}
		bs := b.blocks(2)
		x := b.op(isa.LocalIDX, isa.I32)
		b.cond(b.op(isa.ULt, isa.I32, x, b.c(7)), bs[0], bs[1], bs[1])
		b.at(bs[0])
		y := x
		for range c.ops {
			y = b.op(isa.IMul, isa.I32, y, y)
		}
		if c.load {
			y = b.load(word(0), y)
		}
		b.jump(bs[1])
		b.at(bs[1])
		b.store(word(1), x, b.phi(isa.I32, x, y))
		b.ret()
		Run(b.f, Options{SelectBuffers: c.pointers})
		if got := len(b.f.Blocks) > 1; got != c.branches {
			t.Errorf("%d operations, load %v, pointers %v: branches %v\n%s", c.ops, c.load, c.pointers, got, printed(b.f))
		}
	}
}

// Loads move in front of the computation on earlier ones.
func TestLoadsComeFirst(t *testing.T) {
	b := newBuilder(t)
	lane := b.op(isa.Shl, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(2))
	total := lane
	for i := range 4 {
		x := b.load(word(i), lane)
		total = b.op(isa.IMul, isa.I32, total, x)
	}
	b.store(word(9), lane, total)
	b.ret()
	Run(b.f, Options{})
	loads := 0
	for _, v := range b.f.Blocks[0].Code {
		switch v.Op {
		case isa.Load:
			loads++
		case isa.IMul:
			if loads < 4 {
				t.Fatalf("%d loads before the first multiplication, want 4:\n%s", loads, printed(b.f))
			}
		}
	}
}

// A load of memory that is not written leaves the loop; one of memory that the
// shader writes stays.
func TestInvariantLoads(t *testing.T) {
	for _, readOnly := range []bool{true, false} {
		b := newBuilder(t)
		bs := b.blocks(4)
		header, body, cont, merge := bs[0], bs[1], bs[2], bs[3]
		n := b.op(isa.NumWorkgroupsX, isa.I32)
		zero, one := b.c(0), b.c(1)
		entry := b.b
		b.jump(header)
		b.at(header)
		i := b.phi(isa.I32, zero, zero)
		header.Continue = cont
		b.cond(b.op(isa.ULt, isa.I32, i, n), body, merge, merge)
		b.at(body)
		m := word(0)
		m.ReadOnly = readOnly
		x := b.load(m, n)
		b.store(word(1), i, x)
		b.jump(cont)
		b.at(cont)
		i.Args[1] = b.op(isa.IAdd, isa.I32, i, one)
		b.jump(header)
		b.at(merge)
		b.ret()
		b.f.Bindings = []ir.Binding{{Count: 1, Restrict: true}, {Binding: 1, Count: 1, Writes: true, Restrict: true}}
		Run(b.f, Options{SelectBuffers: true})
		if got := x.Block == entry; got != readOnly || x.Mem.Speculative != readOnly {
			t.Errorf("read-only %v: load in front of the loop %v, speculative %v", readOnly, got, x.Mem.Speculative)
		}
	}
}
