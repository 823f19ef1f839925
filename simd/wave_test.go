package simd

import (
	"testing"

	"spvsim/account"
	"spvsim/isa"
)

// Accesses that return in order wait for those before them, whether their ends
// are known at issue or come later, and in whichever order they come.
func TestAccessesReturnInOrder(t *testing.T) {
	o := &op{returnsInOrder: true, in: &isa.Inst{}}
	w := &Wave{registers: &registerMemory{}, code: &Code{ops: []op{*o}}, outstandingAccesses: outstandingAccesses{returnCycles: make([]uint64, 8)}}
	issue := func(done uint64) uint64 {
		ready := w.inOrder(o, done)
		w.pendingAccesses += map[bool]int{true: 1}[ready >= Never]
		w.nextReturn++
		return ready
	}
	if a, b := issue(300), issue(120); a != 300 || b != 300 {
		t.Errorf("a load after a slow one returns in cycle %d, want 300 (and %d, 300)", b, a)
	}
	if got := w.inOrder(&op{}, 130); got != 130 {
		t.Errorf("an access that is not ordered returns in cycle %d, want 130", got)
	}
	if a, b, c := issue(Never), issue(400), issue(Never); a < Never || b < Never || c < Never {
		t.Errorf("after one of unknown end: %d, %d, %d: want none of them known", a, b, c)
	}
	w.returned(4, 350, account.Memory)
	if w.pendingAccesses != 3 || w.lastOrderedReturn != 300 {
		t.Errorf("%d pending in order up to %d, want all 3 to wait for the first", w.pendingAccesses, w.lastOrderedReturn)
	}
	w.returned(2, 500, account.Memory)
	if want := []uint64{500, 500, 500}; w.pendingAccesses != 0 || w.returnCycles[2] != want[0] || w.returnCycles[3] != want[1] || w.returnCycles[4] != want[2] {
		t.Errorf("%d pending, ends %v: want %v", w.pendingAccesses, w.returnCycles[2:5], want)
	}
}
