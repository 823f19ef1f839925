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
