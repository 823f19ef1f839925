package opt

import (
	"slices"
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// The counter of a loop counts while the loop's load is under way, and one
// register does for the counter: it is read for the last time before.
func TestCountersCountWhileLoadsAreUnderWay(t *testing.T) {
	var loaded, used *ir.Value
	b := countingLoop(t, isa.ULt, func(b *builder, n, _ *ir.Value) *ir.Value {
		m := word(1)
		m.ReadOnly = true
		loaded = b.load(m, b.op(isa.IAdd, isa.I32, b.op(isa.Shl, isa.I32, n, b.c(2)), b.op(isa.LocalIDX, isa.I32)))
		used = b.op(isa.Xor, isa.I32, loaded, b.c(77))
		return used
	})
	Run(b.f, Options{WaveSize: 64})
	code := loaded.Block.Code
	count := slices.IndexFunc(code, func(v *ir.Value) bool { return v.Op == isa.IAdd && len(v.Block.Succs) == 1 && isConst(v.Args[1], 1) })
	if first, use := slices.Index(code, loaded), slices.Index(code, used); first < 0 || count < first || use < count {
		t.Errorf("load at %d, counter at %d, use at %d\n%s", first, count, use, printed(b.f))
	}
}

// Where buffers are descriptors loads keep their order, each after what makes its address, and accesses to LDS are none of them.
func TestLoadsKeepTheirOrder(t *testing.T) {
	b := newBuilder(t)
	lane := b.op(isa.Shl, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(2))
	first := b.load(word(1), b.op(isa.IMul, isa.I32, lane, b.op(isa.WorkgroupIDX, isa.I32)))
	second := b.load(word(2), lane)
	sum := b.op(isa.Xor, isa.I32, first, second)
	local := b.load(ir.Mem{Access: isa.Access{Space: isa.SpaceLDS, Elem: isa.I32}}, lane)
	third := b.load(word(3), lane)
	b.store(word(0), lane, b.op(isa.Xor, isa.I32, b.op(isa.IMul, isa.I32, sum, local), third))
	b.ret()
	Run(b.f, Options{WaveSize: 64})
	at := func(v *ir.Value) int { return slices.Index(b.f.Blocks[0].Code, v) }
	for _, pair := range [][2]*ir.Value{{first, second}, {second, third}, {third, local}, {third, sum}} {
		if at(pair[0]) > at(pair[1]) {
			t.Errorf("%v comes after %v\n%s", pair[0], pair[1], printed(b.f))
		}
	}
}

// What needs the first of two loads alone comes before what needs the second, which is still under way, where registers last.
func TestUsesOfEarlyLoadsComeFirst(t *testing.T) {
	for _, registers := range []int{64, 4} {
		b := newBuilder(t)
		lane := b.op(isa.Shl, isa.I32, b.op(isa.LocalIDX, isa.I32), b.c(2))
		first, second := b.load(word(1), lane), b.load(word(2), lane)
		both := b.op(isa.Xor, isa.I32, first, second)
		var alone []*ir.Value
		for n := range uint64(3) {
			alone = append(alone, b.op(isa.IMul, isa.I32, first, b.c(n+5)))
		}
		b.store(word(0), lane, both)
		for n, v := range alone {
			m := word(3)
			m.Offset = 4 * uint32(n)
			b.store(m, lane, v)
		}
		b.ret()
		Run(b.f, Options{WaveSize: 64, MaxVectorRegs: registers})
		at := func(v *ir.Value) int { return slices.Index(b.f.Blocks[0].Code, v) }
		for i, v := range alone {
			if before := at(v) < at(both); before != (registers == 64) && i == len(alone)-1 {
				t.Errorf("%d registers: the use of the first load comes before that of both: %v\n%s", registers, before, printed(b.f))
			}
		}
	}
}

// TestRegisterLimits holds what ACO leaves a wave (schedule_program) on the R9 Nano, whose SIMD has 256 registers for ten waves, and the RX 6800 XT.
func TestRegisterLimits(t *testing.T) {
	fiji, navi := RegisterFile{256, 4, 10}, RegisterFile{1024, 8, 16}
	for _, c := range []struct {
		file         RegisterFile
		demand, want int
	}{
		{fiji, 1, 36 - 2}, {fiji, 24, 36 - 2}, {fiji, 25, 40 - 2}, {fiji, 29, 48 - 2}, {fiji, 48, 48 - 2}, {fiji, 49, 64 - 2}, {fiji, 65, 84 - 2}, {fiji, 256, 256 - 2}, {fiji, 300, 256 - 2},
		{navi, 10, 64 - 2}, {navi, 64, 64 - 2}, {navi, 65, 72 - 2}, {navi, 129, 144 - 2},
	} {
		if got := c.file.limit(c.demand); got != c.want {
			t.Errorf("%+v, %d registers needed: %d allowed, want %d", c.file, c.demand, got, c.want)
		}
	}
}

func TestPressureOfStretches(t *testing.T) {
	rows := []int{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5}
	var p pressure
	p.reset(len(rows), 7)
	for i, n := range rows {
		p.set(i, n)
	}
	p.build()
	for i := range rows {
		if want := append([]int{7}, rows...)[i]; p.liveBefore(i) != want {
			t.Errorf("%d before value %d, want %d", p.liveBefore(i), i, want)
		}
		for j := i + 1; j <= len(rows); j++ {
			if got, want := p.maxBetween(i, j), slices.Max(rows[i:j]); got != want {
				t.Errorf("at most %d from %d to %d, want %d", got, i, j, want)
			}
		}
	}
	p.issue(1)
	if p.issue(0); p.next != 2 {
		t.Errorf("the next is %d, want 2", p.next)
	}
}
