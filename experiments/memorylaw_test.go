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

// More ports, entries or scratch memory is no slower for 64 producers of 64 payloads each, whose queue overflows where payloads come faster than
// launches: lines that are read ahead for a payload or two took the way to memory from those that launches waited for.
func TestMoreOfAQueueThatOverflowsIsNoSlower(t *testing.T) {
	if testing.Short() {
		t.Skip("runs graphs of a thousand payloads")
	}
	parameters := []string{"total=4096", "iterations=1", "rounds=2"}
	for _, axis := range []struct {
		key    string
		values []int
	}{{"queue.ports", []int{1, 2, 8}}, {"queue.depth", []int{16, 256, 1024}}, {"queue.scratch_bytes", []int{8 << 10, 32 << 10, 64 << 10}}} {
		best, at := ^uint64(0), 0
		for _, value := range axis.values {
			cycles := enqueueCycles(t, parameters, "queue.payload_bytes=0", "queue.scratch_bytes=65536", fmt.Sprintf("%s=%d", axis.key, value))
			if best != ^uint64(0) && cycles > lawSlack(best) {
				t.Errorf("%s %d takes %d cycles, %d %d", axis.key, value, cycles, at, best)
			}
			if cycles < best {
				best, at = cycles, value
			}
		}
	}
}

// Queues of engines and of compute units balance what one producer enqueues: the graph takes at most a tenth longer than with one queue
// in engines, and twice as long in 96 compute units; without stealing it stays where it began.
func TestQueuesOfUnitsBalanceOneProducer(t *testing.T) {
	if testing.Short() {
		t.Skip("runs graphs of a thousand payloads")
	}
	parameters := []string{"total=131072", "iterations=128", "rounds=32"}
	central := enqueueCycles(t, parameters)
	for _, c := range []struct {
		placement   string
		most, least float64 // of the central queue's time, with stealing and without
	}{{"engine", 1.1, 1.5}, {"unit", 2, 5}} {
		set := "queue.placement=" + c.placement
		with, without := enqueueCycles(t, parameters, set), enqueueCycles(t, parameters, set, "queue.steal=0")
		if float64(with) > c.most*float64(central) || float64(without) < c.least*float64(central) {
			t.Errorf("%s: %d cycles, without stealing %d, with a central queue %d", c.placement, with, without, central)
		}
	}
}

// enqueueCycles is the time of payloads enqueued over 16 nodes under a hardware queue.
func enqueueCycles(t *testing.T, parameters []string, set ...string) uint64 {
	t.Helper()
	files, err := FigureFiles()
	if err != nil {
		t.Fatal(err)
	}
	job, err := config.LoadJobWith(files, "jobs/enqueue.yaml", parameters)
	if err != nil {
		t.Fatal(err)
	}
	job.Expect = nil // the order of results is that of one round
	m, err := config.LoadMachine(config.Request{Job: job, Set: append([]string{"scheduler.kind=hardware", "dispatcher.kernel_launch_cycles=0"}, set...)})
	if err != nil {
		t.Fatal(err)
	}
	r, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, MaxCycles: 1e7})
	if err != nil {
		t.Fatal(err)
	}
	return r.Stats.Cycles
}
