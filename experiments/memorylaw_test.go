package experiments

import (
	"context"
	"fmt"
	"testing"

	"spvsim/config"
	"spvsim/gpu"
)

// More memory for payloads makes a recursive graph no slower, in whatever order its nodes are served: also where shallow levels
// alone fill it, as with 16 KB here, deep ones run many workgroups at once.
func TestMoreScratchIsNoSlowerInEachOrder(t *testing.T) {
	for _, order := range lawOrders {
		best, at := ^uint64(0), 0
		for _, kb := range []int{4, 8, 16, 32, 64} {
			cycles := kochCycles(t, order, kb<<10)
			if best != ^uint64(0) && cycles > lawSlack(best) {
				t.Errorf("%s: %d KB of scratch memory take %d cycles, %d KB %d", order, kb, cycles, at, best)
			}
			if cycles < best {
				best, at = cycles, kb
			}
		}
	}
}

// kochCycles is the time of a snowflake of depth 5 under a hardware queue without payload memory on chip.
func kochCycles(t *testing.T, order string, scratch int) uint64 {
	t.Helper()
	files, name, _, err := Lookup("koch")
	if err != nil {
		t.Fatal(err)
	}
	job, err := config.LoadJobWith(files, name, []string{"depth=5"})
	if err != nil {
		t.Fatal(err)
	}
	job.Expect = nil // which is that of another depth
	m, err := config.LoadMachine(config.Request{Job: job, Machine: "rdna3-rx7900xtx", Set: []string{"scheduler.kind=hardware", "queue.payload_bytes=0",
		"dispatcher.kernel_launch_cycles=0", "queue.arbitration=" + order, fmt.Sprint("queue.scratch_bytes=", scratch)}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, MaxCycles: 1e7})
	if err != nil {
		t.Fatal(err)
	}
	return r.Stats.Cycles
}
