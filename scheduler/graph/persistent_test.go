package graph

import (
	"testing"

	"spvsim/account"
	"spvsim/cu"
	"spvsim/internal/suite"
)

// A worker of the persistent kernel takes the most of each resource that any node takes, and as many are resident as fit with that; a
// node's workgroups keep their waves.
func TestPersistentWorkersTakeTheMost(t *testing.T) {
	a, b := static("a"), static("b")
	r := newQueueRig(t, defaultQueue("persistent"), false, a, b)
	limits := r.run.Limits
	for _, c := range []struct{ a, b cu.Resources }{
		{cu.Resources{Waves: 1, VectorRegs: 8, ScalarRegs: 16, LDSBytes: 1024}, cu.Resources{Waves: 2, Barriers: 1, VectorRegs: 4, ScalarRegs: 32}},
		{cu.Resources{Waves: 2, Barriers: 1, VectorRegs: 4, ScalarRegs: 32}, cu.Resources{Waves: 1, VectorRegs: 8, ScalarRegs: 16, LDSBytes: 1024}},
	} {
		a.Launch.Resources, b.Launch.Resources = c.a, c.b
		p := suite.Must(newPersistent(r.run))(t)
		want := cu.Resources{Waves: 2, Barriers: 1, VectorRegs: 8, ScalarRegs: 32, LDSBytes: 1024}
		if n := want.Occupancy(limits); n == 0 || p.(*persistent).workers[0] != n {
			t.Errorf("%d workers on a unit, want the %d that fit", p.(*persistent).workers[0], n)
		}
		for i, n := range []*Node{a, b} {
			if want.Waves = []cu.Resources{c.a, c.b}[i].Waves; n.Launch.Resources != want {
				t.Errorf("%s takes %+v, want %+v", n, n.Launch.Resources, want)
			}
		}
	}
}

// A persistent worker pops with an atomic and reads the entry, both at once; when
// it found nothing, it sleeps from the answer on.
func TestPersistentPolls(t *testing.T) {
	for _, pending := range []bool{false, true} {
		for _, poll := range []int{1, 10, 500} {
			s := defaultQueue("persistent")
			s.Scheduler.PollInterval, s.Scheduler.PersistentGroups = poll, 1
			n := static("n")
			r := newQueueRig(t, s, pending, n)
			r.run.Dispatch(0, []Entry{{Node: n, Count: 1, Data: make([]byte, 4), Stride: 4}})
			var accepted uint64
			const late = 2000
			r.run.stats.inFlight++ // something is on its way: the worker polls on
			r.in(late, func(uint64) { r.run.stats.inFlight-- })
			r.enqueue(t, late, n, 1, &accepted)
			r.finish(t)
			if len(r.Prints) != 2 || r.Prints[0] != replyCycles && r.Prints[0] != replyCycles+1 {
				t.Fatalf("poll %d, replies pending %v: waves start in %v, the first should in %d", poll, pending, r.Prints, replyCycles)
			}
			visible := uint64(late + replyCycles)
			each := uint64(replyCycles + poll)
			if got := r.Prints[1]; got < visible+replyCycles || got > visible+each+replyCycles+1 {
				t.Errorf("poll %d, replies pending %v: the second wave starts in %d, want it within a poll of %d", poll, pending, got, visible)
			}
			if got, most := r.run.stats.queue.Polls, visible/each+3; got > most+1 || got+5 < most {
				t.Errorf("poll %d, replies pending %v: %d polls, want about %d", poll, pending, got, most)
			}
		}
	}
}

// A holding is a policy whose workers hold slots from a cycle on.
type holding struct {
	policy
	slots, from uint64
}

func (h holding) reservedSlots() (slots, from uint64) { return h.slots, h.from }

// Slots that workers hold and no wave is in are charged to payloads, as far as they are empty.
func TestHeldSlots(t *testing.T) {
	for _, c := range []struct{ slots, from, end, used, empty, payload uint64 }{
		{2, 100, 104, 0, 20, 8}, {2, 100, 104, 5, 20, 3}, {2, 100, 104, 8, 20, 0}, {2, 100, 104, 9, 20, 0},
		{2, 100, 100, 0, 20, 0}, {2, 100, 90, 0, 20, 0}, {2, 100, 104, 0, 7, 7}, {2, 100, 104, 0, 8, 8},
	} {
		count := account.SlotCycles{account.Issued: c.used, account.Empty: c.empty}
		(&Run{policy: holding{slots: c.slots, from: c.from}}).Charge(&count, c.end)
		want := account.SlotCycles{account.Issued: c.used, account.Empty: c.empty - c.payload, account.Payload: c.payload}
		if count != want {
			t.Errorf("%+v: %v, want %v", c, count, want)
		}
	}
}
