package mem

import (
	"encoding/binary"
	"math/rand"
	"reflect"
	"slices"
	"testing"

	"spvsim/isa"
)

// A load that is prepared and then booked comes to what Issue makes of it: registers, time, and what the caches count.
func TestPreparedLoadsAreLoads(t *testing.T) {
	r, s := rand.New(rand.NewSource(1)), NewWorkspace()
	one, two := newBench(t, 64*2048+64), newBench(t, 64*2048+64)
	one.fillIota()
	two.fillIota()
	var e PreparedLoad
	for i := range 2000 {
		in, exec := access(isa.Load, isa.I32, 1+r.Intn(4)), r.Uint64()|1<<r.Intn(64)
		if in.Mem.Base = isa.S(1); r.Intn(4) == 0 {
			in.Mem.Scalar, in.Mem.Index, in.Mem.Dsts = true, isa.S(2), [4]isa.Reg{isa.S(8), isa.S(9), isa.S(10), isa.S(11)}
		}
		if r.Intn(2) == 0 {
			exec = ^uint64(0)
		}
		stride, base, off := uint32(r.Intn(40))*4, uint64(r.Intn(1000))*4, uint64(r.Intn(1000))*4
		for _, b := range []*bench{one, two} {
			b.index(0, stride)
			b.st.Exec, b.st.S[1], b.st.S[2] = exec, base, off
		}
		now := uint64(40 * i)
		want := one.port.Issue(now, one.st, &one.env, in)
		if !two.port.PrepareLoad(s, two.st, &two.env, in, &e) {
			t.Fatalf("load %d is not prepared", i)
		}
		got := two.port.BookPrepared(now, &e)
		if *got != *want {
			t.Fatalf("load %d: %+v, want %+v", i, *got, *want)
		}
		if got.ReadyAt < now+two.port.MinLoadCycles(in.Mem.Scalar) {
			t.Fatalf("load %d takes %d cycles, less than the least, %d", i, got.ReadyAt-now, two.port.MinLoadCycles(in.Mem.Scalar))
		}
		if !slices.Equal(one.st.V, two.st.V) || !slices.Equal(one.st.S, two.st.S) {
			t.Fatalf("load %d: other values", i)
		}
	}
	if !reflect.DeepEqual(one.h.Counters(), two.h.Counters()) {
		t.Errorf("%+v, want %+v", two.h.Counters(), one.h.Counters())
	}
}

// What may be out of bounds, or no lane takes part in, is left to the turn in which it issues.
func TestLoadsThatAreNotPrepared(t *testing.T) {
	for name, edit := range map[string]func(b *bench, in *isa.Inst){
		"a lane outside":    func(b *bench, _ *isa.Inst) { b.index(0, 65) },
		"no lane":           func(b *bench, _ *isa.Inst) { b.st.Exec = 0 },
		"bytes":             func(_ *bench, in *isa.Inst) { in.Mem.Elem, in.T = isa.I8, isa.I8 },
		"an address":        func(_ *bench, in *isa.Inst) { in.Mem.Space = isa.SpaceFlat },
		"a chosen binding":  func(_ *bench, in *isa.Inst) { in.Mem.Dynamic = true },
		"scalar, outside":   func(b *bench, in *isa.Inst) { in.Mem.Scalar, in.Mem.Index, b.st.S[1] = true, isa.S(1), 4096 },
		"scalar, a pointer": func(_ *bench, in *isa.Inst) { in.Mem.Scalar, in.Mem.Space = true, isa.SpaceFlat },
	} {
		b := newBench(t, 4096)
		in := access(isa.Load, isa.I32, 1)
		b.index(0, 4)
		edit(b, in)
		before := slices.Clone(b.st.V)
		if b.port.PrepareLoad(NewWorkspace(), b.st, &b.env, in, &PreparedLoad{}) || !slices.Equal(before, b.st.V) {
			t.Errorf("%s: prepared", name)
		}
	}
}

// Where stores may write is known of bindings, and of addresses that are a kernel's argument.
func TestWrittenRanges(t *testing.T) {
	store := NewStore(0)
	in, _ := store.Alloc(256, "in")
	out, _ := store.Alloc(512, "out")
	flat := func(argument uint32) isa.Inst {
		return edited(with(isa.Store, 0), func(m *isa.Mem) { m.Space, m.Argument = isa.SpaceFlat, argument })
	}
	load := edited(with(isa.Load, 0), func(m *isa.Mem) { m.Space = isa.SpaceFlat })
	b := &Bindings{Push: make([]byte, 24)}
	b.Bind(DescriptorOf(in))
	binary.LittleEndian.PutUint64(b.Push[8:], out.Addr+128)
	for name, c := range map[string]struct {
		insts []isa.Inst
		want  []Range
		known bool
	}{
		"an argument":       {[]isa.Inst{load, flat(3)}, []Range{{out.Addr, 512}}, true},
		"and a binding":     {[]isa.Inst{flat(3), with(isa.AtomicIAdd, 0)}, []Range{{out.Addr, 512}, {in.Addr, 256}}, true},
		"any address":       {[]isa.Inst{flat(3), flat(0)}, nil, false},
		"of no buffer":      {[]isa.Inst{flat(5)}, nil, false},
		"a chosen binding":  {[]isa.Inst{edited(with(isa.Store, 0), func(m *isa.Mem) { m.Dynamic = true })}, nil, false},
		"an image":          {[]isa.Inst{edited(with(isa.ImageStore, 0), func(m *isa.Mem) { m.Space = isa.SpaceImage })}, nil, false},
		"nothing is stored": {[]isa.Inst{load}, nil, true},
	} {
		if got, known := b.WrittenRanges(c.insts, store); known != c.known || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v %v, want %v %v", name, got, known, c.want, c.known)
		}
	}
}

// Loads are of steady memory where no instruction writes a byte of their binding, whatever binding that byte is of as well.
func TestSteady(t *testing.T) {
	store := NewStore(0)
	in, _ := store.Alloc(256, "in")
	out, _ := store.Alloc(256, "out")
	load := func(binding int) isa.Inst { return with(isa.Load, binding) }
	for name, c := range map[string]struct {
		insts []isa.Inst
		want  []bool
	}{
		"another is written":   {[]isa.Inst{load(0), with(isa.Store, 1), load(1)}, []bool{true, false, false}},
		"the same":             {[]isa.Inst{load(0), with(isa.AtomicIAdd, 0)}, []bool{false, false}},
		"the same memory":      {[]isa.Inst{load(0), with(isa.Store, 2)}, []bool{false, false}},
		"LDS":                  {[]isa.Inst{load(0), edited(with(isa.Store, 0), func(m *isa.Mem) { m.Space = isa.SpaceLDS })}, []bool{true, false}},
		"an address":           {[]isa.Inst{load(0), edited(with(isa.Store, 1), func(m *isa.Mem) { m.Space = isa.SpaceFlat })}, []bool{false, false}},
		"a chosen binding":     {[]isa.Inst{load(0), edited(with(isa.Store, 1), func(m *isa.Mem) { m.Dynamic = true })}, []bool{false, false}},
		"a coherent load":      {[]isa.Inst{edited(load(0), func(m *isa.Mem) { m.Coherent = true })}, []bool{false}},
		"push constants":       {[]isa.Inst{edited(load(0), func(m *isa.Mem) { m.Space = isa.SpacePush }), with(isa.Store, 0)}, []bool{true, false}},
		"an array of bindings": {[]isa.Inst{edited(load(0), func(m *isa.Mem) { m.BindingIndex = isa.S(1) })}, []bool{false}},
		"an image":             {[]isa.Inst{load(0), edited(with(isa.ImageStore, 1), func(m *isa.Mem) { m.Space = isa.SpaceImage })}, []bool{false, false}},
	} {
		b := &Bindings{}
		b.Bind(DescriptorOf(in))
		b.Bind(DescriptorOf(out))
		b.Bind(Descriptor{Addr: in.Addr + 252, Bytes: in.Bytes[252:]})
		if got := b.ReadOnlyLoads(c.insts); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// with is an access to a binding.
func with(op isa.Op, binding int) isa.Inst {
	in := access(op, isa.I32, 1)
	in.Mem.Binding = binding
	return *in
}

func edited(in isa.Inst, edit func(m *isa.Mem)) isa.Inst {
	edit(in.Mem)
	return in
}
