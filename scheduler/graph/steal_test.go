package graph

import (
	"errors"
	"testing"
)

var errEnough = errors.New("the test has seen enough")

// A queue that has nothing takes up to half of another's payloads, rounded up, and no more than it may: the youngest, which come after the latency
// there and back. One alone stays, and one that waits for what it takes asks for no more.
func TestStealTakesHalf(t *testing.T) {
	const latency = 10
	for _, c := range []struct{ waiting, most, taken int }{{0, 8, 0}, {1, 8, 0}, {2, 8, 1}, {3, 8, 2}, {9, 8, 5}, {9, 3, 3}, {40, 8, 8}, {9, 0, 0}} {
		s := defaultQueue("firmware")
		s.Queue.Placement, s.Queue.Steal, s.Queue.Latency = "engine", c.most, latency
		n := static("n")
		r := newQueueRigOn(t, wide(), s, false, n)
		o := r.run.queues
		from, to := o.nodeQueues.of(n.stages[0], 0), o.nodeQueues.of(n.stages[0], 1)
		for _, q := range r.run.queues.list {
			q.shared.core.freeAt = 1 << 40 // nothing is launched
		}
		r.in(begin, func(now uint64) {
			for i := range c.waiting {
				from.push(int32(i), now)
			}
			r.run.queues.list[0].entries = c.waiting
			for range 2 { // the second time nothing more comes
				o.steal(now, 1)
			}
			if got := from.pending(); got != uint64(c.waiting-c.taken) || r.run.queues.list[0].entries != int(got) {
				t.Errorf("%+v: %d are left, and %d counted", c, got, r.run.queues.list[0].entries)
			}
			for i, e := range from.fifo {
				if e.payload != int32(i) {
					t.Errorf("%+v: payload %d is left in place %d", c, e.payload, i)
				}
			}
		})
		arrived := uint64(0)
		r.in(begin+2*latency-1, func(uint64) { arrived = to.pending() })
		r.in(begin+2*latency+1, func(uint64) {
			if got := to.pending(); arrived != 0 || got != uint64(c.taken) || r.run.queues.list[1].entries != c.taken || r.run.stats.queue.Stolen != got {
				t.Errorf("%+v: %d come before the latency, %d after; %d are counted, %d taken", c, arrived, got, r.run.queues.list[1].entries, r.run.stats.queue.Stolen)
			}
			for i, e := range to.fifo {
				if want := int32(c.waiting - c.taken + i); e.payload != want {
					t.Errorf("%+v: payload %d comes, want %d", c, e.payload, want)
				}
			}
			r.Engine.Fail(errEnough)
		})
		if err := r.Engine.Run(); err == nil {
			t.Errorf("%+v: the run went on", c)
		}
	}
}
