package gpu_test

import (
	"context"
	"errors"
	"testing"

	"spvsim/account"
	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
)

// The slot cycles of launches that overlap add up to the machine's, reason by reason, and to those of the queues; their lines and hits to
// the machine's. So they do for launches of one program (small launches), for graphs, and in a run that is stopped.
func TestLaunchesOfQueuesAddUp(t *testing.T) {
	for _, c := range []struct {
		job string
		max uint64
	}{{"async-compute", 0}, {"small-launches-queues", 0}, {"graphs-beside", 0}, {"urgent-launch", 0}, {"small-launches-queues", 20000}} {
		job := suite.Must(config.LoadJob(nil, "../experiments/figures/jobs/"+c.job+".yaml"))(t)
		job.Expect = nil
		m := suite.Must(config.LoadMachine(config.Request{Job: job}))(t)
		r, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, Threads: 2, MaxCycles: c.max})
		if err != nil && !(c.max > 0 && errors.Is(err, gpu.ErrRun)) {
			t.Fatal(err)
		}
		waits, levels := map[string]uint64{}, map[string]account.LaunchTraffic{}
		for _, q := range r.Stats.Queues {
			own := uint64(0)
			for _, l := range q.Launches {
				if l.Waits == nil && l.Memory != nil {
					t.Errorf("%s: a launch of %s has no slot cycles", c.job, l.Step)
				}
			}
			for _, w := range q.Waits {
				waits[w.Reason] += w.SlotCycles
				own += w.SlotCycles
			}
			for _, l := range q.Memory {
				sum := levels[l.Level]
				sum.Add(&l)
				levels[l.Level] = sum
			}
			if c.max == 0 && own != q.SlotCycles {
				t.Errorf("%s: launches of queue %s have %d slot cycles, the queue %d", c.job, q.Name, own, q.SlotCycles)
			}
		}
		if c.max > 0 {
			if len(waits) == 0 {
				t.Errorf("%s: nothing had ended in cycle %d", c.job, c.max)
			}
			continue
		}
		for reason, n := range r.Stats.Slots {
			if name := account.Reason(reason).String(); reason != int(account.Empty) && waits[name] != n {
				t.Errorf("%s: %s: launches have %d slot cycles, the machine %d", c.job, name, waits[name], n)
			}
		}
		for _, l := range r.Stats.Memory {
			if got := levels[l.Name]; l.Name == "vector_l1" && (got.Accesses != l.Accesses || got.Hits != l.Hits || got.Misses != l.Misses || got.FullCycles != l.FullCycles) {
				t.Errorf("%s: %s: launches have %+v, the machine %+v", c.job, l.Name, got, l)
			}
		}
	}
}
