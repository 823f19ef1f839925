package opt

import (
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// A store is dead if the same place is written again before anything may read it: another name of the buffer, a fence, an
// atomic or another invocation that a coherent access speaks to.
func TestDeadStores(t *testing.T) {
	lds := ir.Mem{Access: isa.Access{Space: isa.SpaceLDS, Elem: isa.I32}}
	view := ir.Mem{Access: isa.Access{Space: isa.SpaceLDS, Elem: isa.I32, Offset: 4}, Object: -1} // of explicit layout: all overlap
	coherent, volatile, second := word(1), word(1), word(1)
	coherent.Coherent, volatile.Volatile, second.Offset = true, true, 4
	for _, c := range []struct {
		name    string
		m       ir.Mem
		between func(b *builder, lane, other *ir.Value)
		left    int
	}{
		{"nothing between", word(1), func(*builder, *ir.Value, *ir.Value) {}, 1},
		{"LDS", lds, func(*builder, *ir.Value, *ir.Value) {}, 1},
		{"a load of another buffer", word(1), func(b *builder, _, other *ir.Value) { b.load(word(2), other) }, 1},
		{"a load of the word after it", word(1), func(b *builder, lane, _ *ir.Value) { b.load(second, lane) }, 1},
		{"a load of some word", word(1), func(b *builder, _, other *ir.Value) { b.load(word(1), other) }, 2},
		{"a load by a name of the same memory", lds, func(b *builder, _, other *ir.Value) { b.load(view, other) }, 2},
		{"a barrier", lds, func(b *builder, _, _ *ir.Value) { b.op(isa.Barrier, isa.Void) }, 2},
		{"an atomic", word(1), func(b *builder, lane, _ *ir.Value) {
			b.mem(b.f.NewValue(isa.AtomicIAdd, isa.I32, isa.I32, lane, lane), volatile, 1)
		}, 2},
		{"coherent", coherent, func(*builder, *ir.Value, *ir.Value) {}, 2},
		{"volatile", volatile, func(*builder, *ir.Value, *ir.Value) {}, 2},
	} {
		b := newBuilder(t)
		lane := b.op(isa.Shl, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(2))
		other := b.op(isa.Shl, isa.I32, b.op(isa.LocalIDY, isa.I32), b.c(2))
		b.store(c.m, lane, lane)
		c.between(b, lane, other)
		b.store(c.m, lane, other)
		b.readLDS(0, other)
		b.ret()
		setBlocks(b.f)
		deadStores(b.f, Options{})
		if got := count(b.f, isa.Store); got != c.left {
			t.Errorf("%s: %d stores, want %d\n%s", c.name, got, c.left, printed(b.f))
		}
	}
}

// Stores to Workgroup memory are dead if nothing reads the variable, by its name or by one of explicit layout, which may be any.
func TestUnreadStores(t *testing.T) {
	lds := func(object int) ir.Mem {
		return ir.Mem{Access: isa.Access{Space: isa.SpaceLDS, Elem: isa.I32}, Object: object}
	}
	volatile := lds(1)
	volatile.Volatile = true
	for _, c := range []struct {
		name  string
		read  func(b *builder, at *ir.Value)
		store ir.Mem
		left  int
	}{
		{"no read", func(*builder, *ir.Value) {}, lds(1), 0},
		{"a read of another variable", func(b *builder, at *ir.Value) { b.readLDS(2, at) }, lds(1), 0},
		{"a read", func(b *builder, at *ir.Value) { b.load(lds(1), at) }, lds(1), 1},
		{"a read of any", func(b *builder, at *ir.Value) { b.load(lds(-1), at) }, lds(1), 1},
		{"an atomic", func(b *builder, at *ir.Value) { b.readLDS(1, at) }, lds(1), 1},
		{"a store to any", func(*builder, *ir.Value) {}, lds(-1), 1},
		{"volatile", func(*builder, *ir.Value) {}, volatile, 1},
	} {
		b := newBuilder(t)
		at := b.op(isa.LocalIDX, isa.I32)
		c.read(b, at)
		b.store(c.store, at, at)
		b.ret()
		deadStores(b.f, Options{})
		if got := count(b.f, isa.Store); got != c.left {
			t.Errorf("%s: %d stores, want %d", c.name, got, c.left)
		}
	}
}

// What a block has loaded or stored is known in those that it dominates, unless a way from there writes it.
func TestMemoryIsKnownAfterwards(t *testing.T) {
	for _, c := range []struct {
		name          string
		inSide, again bool // a write of an unknown place in one side; a fence there
		loads         int
	}{
		{"nothing between", false, false, 1},
		{"one side writes", true, false, 3},
		{"one side has a fence", false, true, 3},
	} {
		b := newBuilder(t)
		bs := b.blocks(3)
		lane := b.op(isa.Shl, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(2))
		at := b.op(isa.Shl, isa.I32, b.op(isa.LocalIDY, isa.I32), b.c(2))
		x := b.load(word(1), lane)
		b.cond(b.op(isa.IEq, isa.I32, x, b.c(3)), bs[0], bs[1], bs[2])
		b.at(bs[0])
		if c.inSide {
			b.store(word(1), at, lane)
		}
		if c.again {
			b.op(isa.MemoryBarrier, isa.Void)
		}
		y := b.load(word(1), lane)
		b.store(word(2), lane, y)
		b.jump(bs[2])
		b.at(bs[1])
		b.store(word(3), lane, b.load(word(1), lane))
		b.jump(bs[2])
		b.at(bs[2])
		b.store(word(4), lane, b.load(word(1), lane))
		b.ret()
		setBlocks(b.f)
		gatherConstants(b.f, Options{})
		gvn(b.f, Options{})
		if err := ir.Verify(b.f); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if got := count(b.f, isa.Load); got != c.loads {
			t.Errorf("%s: %d loads, want %d\n%s", c.name, got, c.loads, printed(b.f))
		}
	}
}

// In a loop, a load from before it is known only if no iteration writes its memory.
func TestMemoryIsKnownInLoops(t *testing.T) {
	for _, writes := range []bool{false, true} {
		b := newBuilder(t)
		bs := b.blocks(2)
		lane := b.op(isa.Shl, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(2))
		x := b.load(word(1), lane)
		b.jump(bs[0])
		b.at(bs[0])
		n := b.phi(isa.I32, x, x)
		y := b.load(word(1), lane)
		if writes {
			b.store(word(1), n, y)
		}
		next := b.op(isa.IAdd, isa.I32, n, y)
		n.Args[1] = next
		bs[0].Merge, bs[0].Continue = bs[1], bs[0]
		b.b.SetSuccs(ir.Cond, b.op(isa.ULt, isa.I32, next, b.c(100)), bs[0], bs[1])
		b.at(bs[1])
		b.store(word(2), lane, next)
		b.ret()
		setBlocks(b.f)
		gatherConstants(b.f, Options{})
		gvn(b.f, Options{})
		want := 1
		if writes {
			want = 2
		}
		if got := count(b.f, isa.Load); got != want {
			t.Errorf("the loop writes %t: %d loads, want %d\n%s", writes, got, want, printed(b.f))
		}
	}
}

// An image that nothing writes is read once at each place.
func TestImagesAreReadOnce(t *testing.T) {
	for _, readOnly := range []bool{true, false} {
		b := newBuilder(t)
		x := b.op(isa.LocalIDX, isa.I32)
		lane := b.op(isa.Shl, isa.I32, x, b.c(2))
		sum := b.ct(isa.F32, 0)
		for range 2 {
			v := b.f.NewValue(isa.ImageLoad, isa.F32, isa.Void, x, x)
			v.Mem = &ir.Mem{Access: isa.Access{Space: isa.SpaceImage, Binding: 2, Elem: isa.F32, Count: 4}, Coords: 2, ReadOnly: readOnly}
			b.b.Append(v)
			texel := b.f.NewValue(isa.Proj, isa.F32, isa.F32, v)
			sum = b.op(isa.FAdd, isa.F32, sum, b.b.Append(texel))
		}
		m := word(0)
		m.Elem = isa.F32
		b.store(m, lane, sum)
		b.ret()
		setBlocks(b.f)
		gatherConstants(b.f, Options{})
		gvn(b.f, Options{})
		want := 2
		if readOnly {
			want = 1
		}
		if got := count(b.f, isa.ImageLoad); got != want {
			t.Errorf("never written %t: %d loads, want %d\n%s", readOnly, got, want, printed(b.f))
		}
	}
}

// A function that returns from both sides of a branch leaves one of them as the merge block, which is an arm like another.
func TestReturnsAreSelected(t *testing.T) {
	b := newBuilder(t)
	bs := b.blocks(3)
	x := b.op(isa.LocalIDX, isa.I32)
	b.cond(b.op(isa.ULt, isa.I32, x, b.c(9)), bs[0], bs[1], bs[1])
	var args []*ir.Value
	for _, arm := range bs[:2] {
		b.at(arm)
		args = append(args, b.op(isa.IMul, isa.I32, x, b.c(uint64(len(args))+3)))
		b.jump(bs[2])
	}
	b.at(bs[2])
	b.store(word(0), x, b.phi(isa.I32, args...))
	b.ret()
	setBlocks(b.f)
	gatherConstants(b.f, Options{})
	if ifconvert(b.f, Options{}); count(b.f, isa.Select) != 1 {
		t.Errorf("no selection:\n%s", printed(b.f))
	}
	if err := ir.Verify(b.f); err != nil {
		t.Error(err)
	}
}

// Mesa selects between quotients, as each is one instruction when it looks; LLVM branches around them.
func TestQuotientsAreSelected(t *testing.T) {
	for _, pointers := range []bool{false, true} {
		b := newBuilder(t)
		bs := b.blocks(2)
		lane := b.op(isa.Shl, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(2))
		x, y := b.load(word(0), lane), b.load(word(1), lane)
		b.cond(b.op(isa.ULt, isa.I32, x, b.c(9)), bs[0], bs[1], bs[1])
		from := b.b
		b.at(bs[0])
		q := b.op(isa.UDiv, isa.I32, x, y)
		b.jump(bs[1])
		b.at(bs[1])
		args := []*ir.Value{x, q}
		if bs[1].Preds[0] != from {
			args = []*ir.Value{q, x}
		}
		b.store(word(2), lane, b.phi(isa.I32, args...))
		b.ret()
		setBlocks(b.f)
		gatherConstants(b.f, Options{})
		ifconvert(b.f, Options{SelectBuffers: pointers})
		if got := count(b.f, isa.Select) == 0; got != pointers {
			t.Errorf("pointers %t: a branch %t\n%s", pointers, got, printed(b.f))
		}
	}
}
