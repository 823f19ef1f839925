package graph

import "testing"

// A batch that a full queue keeps out gets in when an entry is free, if its wave waits; when its wave asks next after that, if it asks now and
// then; and goes to memory when it has waited for as long as it may.
func TestFullQueues(t *testing.T) {
	const gap, came = 128, begin + 2 // cycles between launches; when the batch comes that is kept out
	for _, c := range []struct {
		full        string
		wait, retry int
		more        uint64 // cycles that it is kept out
		refusals    uint64
	}{
		{"spill", 0, 1, 0, 0},
		{"stall", 1 << 20, 1, gap - 2, 0},
		{"stall", 50, 1, 50, 0},
		{"retry", 1 << 20, 1, gap - 2, gap - 2},
		{"retry", 1 << 20, 7, (gap - 2 + 6) / 7 * 7, (gap - 2 + 6) / 7},
		{"retry", 50, 7, 50, 8},
	} {
		s := defaultQueue("hardware")
		s.Queue.Depth, s.Queue.LaunchRate, s.Queue.Full, s.Queue.FullWait, s.Queue.RetryCycles = 1, 1./gap, c.full, c.wait, c.retry
		n := static("n")
		r := newQueueRig(t, s, false, n)
		var taken [3]uint64
		for i := range taken { // the first starts at once, the second has the entry
			r.enqueue(t, begin+uint64(i), n, 1, &taken[i])
		}
		r.finish(t)
		q := r.run.stats.queue
		if taken[1] != begin+1 || taken[2] != came+c.more || q.Refusals != c.refusals || q.StallFull != c.more {
			t.Errorf("%+v: taken in %v, %d refusals, %d cycles stalled", c, taken, q.Refusals, q.StallFull)
		}
	}
}
