package experiments

import (
	"context"
	"fmt"
	"os"
	"testing"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/tracing"
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
	job := suite.Must(config.LoadJobWith(files, name, []string{"depth=5"}))(t)
	job.Expect = nil // it is for another depth
	m, err := config.LoadMachine(config.Request{Job: job, Machine: "rdna3-rx7900xtx", Set: []string{"scheduler.kind=hardware", "queue.payload_bytes=0",
		"dispatcher.kernel_launch_cycles=0", "queue.arbitration=" + order, fmt.Sprint("queue.scratch_bytes=", scratch)}})
	if err != nil {
		t.Fatal(err)
	}
	r := suite.Must(gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, MaxCycles: 1e7}))(t)
	return r.Stats.Cycles
}

// More ports, entries or scratch memory is no slower for 64 producers of 64 payloads each, whose queue overflows when
// payloads arrive faster than launches: lines that were read ahead for a payload or two took memory bandwidth from
// those that launches waited for.
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

// fanOut runs producers that send 64 payloads of 4 bytes each to a node of one workgroup, without payload memory on chip.
func fanOut(t *testing.T, producers, scratch int, machine string, set ...string) *tracing.Stats {
	t.Helper()
	job := suite.Must(config.LoadJobWith(os.DirFS("testdata"), "fanout.yaml", []string{fmt.Sprint("producers=", producers), fmt.Sprint("scratch=", scratch)}))(t)
	m := suite.Must(config.LoadMachine(config.Request{Job: job, Machine: machine, Set: set}))(t)
	r := suite.Must(gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, MaxCycles: 1e7}))(t)
	return r.Stats
}

// accesses returns the accesses of a memory level.
func accesses(s *tracing.Stats, level string) uint64 {
	for i := range s.Memory {
		if s.Memory[i].Name == level {
			return s.Memory[i].Accesses
		}
	}
	return 0
}

// More scratch memory makes a fan-out of 4,096 payloads no slower, whatever the threshold at which entries are read back. With few line buffers it is
// slower by no more than the bound. (A queue that waited for each line took 12.6 times as long with 64 KB as with 16 KB at a threshold of 8.)
func TestMoreScratchOfAFanOutIsNoSlower(t *testing.T) {
	enough := fanOut(t, 64, 16<<10, "").Cycles
	for _, c := range []struct {
		threshold, lines int
		most             uint64
	}{{8, 128, lawSlack(enough)}, {256, 64, lawSlack(enough)}, {4096, 128, lawSlack(enough)}, {8, 1, 3 * enough / 2}} {
		s := fanOut(t, 64, 16<<20, "", fmt.Sprint("queue.refill_threshold=", c.threshold), fmt.Sprint("queue.spill_lines=", c.lines))
		if s.Cycles > c.most {
			t.Errorf("%+v: %d cycles with 16 MB of scratch memory, %d with 16 KB", c, s.Cycles, enough)
		}
		if s.Graph.Queue.Spills == 0 {
			t.Errorf("%+v: nothing overflows", c)
		}
	}
	few := []string{"queue.refill_threshold=1024", "shader_engines=1", "compute_units=4"}
	little, much := fanOut(t, 24, 4<<10, "rdna4-like", few...).Cycles, fanOut(t, 24, 64<<10, "rdna4-like", few...).Cycles
	if much > 3*little/2 {
		t.Errorf("on four compute units: %d cycles with 64 KB of scratch memory, %d with 4 KB", much, little)
	}
}

// Payloads are read at the first level that all compute units share: a reused slot has another payload than the lines
// of private caches. The scalar caches only read one descriptor per workgroup.
func TestPayloadLoadsPassPrivateCaches(t *testing.T) {
	for _, kind := range schedulers {
		s := fanOut(t, 4, 8<<10, "rdna4-like", "scheduler.kind="+kind)
		if got := accesses(s, "scalar_l1"); got != 256 {
			t.Errorf("%s: %d accesses to scalar caches: want one for each of 256 workgroups", kind, got)
		}
	}
}

// Entries that were written to memory in whole lines are read back from the L2, and not from memory.
func TestEntriesThatOverflowStayInTheL2(t *testing.T) {
	memory := func(depth int) uint64 {
		return accesses(fanOut(t, 24, 64<<10, "", fmt.Sprint("queue.depth=", depth)), "memory")
	}
	if with, without := memory(64), memory(4096); with > without+4 {
		t.Errorf("%d accesses to memory where entries overflow, %d where none do", with, without)
	}
}

// Queues of engines and of compute units balance the payloads of one producer: the graph takes at most a tenth longer
// than with one queue in engines, and twice as long in 96 compute units; without stealing the work stays where it
// began.
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
	files := suite.Must(FigureFiles())(t)
	job := suite.Must(config.LoadJobWith(files, "jobs/enqueue.yaml", parameters))(t)
	job.Expect = nil // the order of results is that of one round
	m := suite.Must(config.LoadMachine(config.Request{Job: job, Set: append([]string{"scheduler.kind=hardware", "dispatcher.kernel_launch_cycles=0", "queue.max_payloads=4096"}, set...)}))(t)
	r := suite.Must(gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, MaxCycles: 1e7}))(t)
	return r.Stats.Cycles
}
