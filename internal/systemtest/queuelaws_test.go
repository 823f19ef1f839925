package systemtest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"spvsim/config"
	"spvsim/internal/suite"
)

// queueJobs load, store and update, each wave its own lines, all the same one, and through little and much of the caches.
var queueJobs = []string{"apart", "stores", "updates", "atomic", "store", "back", "many", "flow"}

// queueKeys are those of the levels that a preset has.
func queueKeys(m *config.Machine) (keys []string) {
	for _, name := range []string{"vector_l1", "shader_array", "l2", "memory_side"} {
		if c := m.Spec.Level(name); c.Present() {
			for _, key := range []string{"requests", "write_buffer", "atomics", "link_credits"} {
				keys = append(keys, name+"."+key)
			}
		}
	}
	return append(keys, "memory.requests", "translation.walkers", "vector_memory.latency_fifo")
}

// walked has translations walked for in each of the jobs.
const walked = " vector_memory.translation_entries=4 translation.entries=16 translation.ways=8 translation.page_bytes=8192 translation.latency_cycles=10 translation.walk_cycles=200"

// What holds of every preset with queues of any size and any number of walkers, under any job: slots have one reason a cycle, hits and misses are the
// accesses, device memory moves no more than its peak over the launch, and queues twice as long take no more than a twentieth
// longer. SPVSIM_RANDOM_QUEUES draws more than the few that a test takes.
func TestLawsOfQueues(t *testing.T) {
	n := 12
	if more, err := strconv.Atoi(os.Getenv("SPVSIM_RANDOM_QUEUES")); err == nil {
		n = more
	} else if testing.Short() {
		n = 4
	}
	b := newKeyBench(t)
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 23))
		preset, job := config.Presets()[seed%uint64(len(config.Presets()))], queueJobs[r.IntN(len(queueJobs))]
		m := suite.Must(config.LoadMachine(config.Request{Machine: preset, Job: b.job("all")}))(t)
		on := "compute_units=2 machine=" + preset + walked
		short, long := on, on
		for _, key := range queueKeys(m) {
			entries := 1 << r.IntN(7)
			short += fmt.Sprintf(" %s=%d", key, entries)
			long += fmt.Sprintf(" %s=%d", key, 2*entries)
		}
		x, y := b.queueRun(job, short, m), b.queueRun(job, long, m)
		if float64(y) > 1.05*float64(x) {
			t.Errorf("seed %d, job %s: %d cycles on %q, and %d with queues twice as long", seed, job, x, short, y)
		}
	}
}

// queueRun is the time of a job, of which it tests what holds of each alone.
func (b *keyBench) queueRun(job, on string, m *config.Machine) uint64 {
	b.t.Helper()
	r := b.run(job, on)
	if r.err != nil {
		b.t.Fatalf("job %s on %q: %v", job, on, r.err)
	}
	slots := r.Cycles * uint64(2*m.UnitSlots()) // of a machine of one shader engine
	if got := r.Slots.Total(); got != slots {
		b.t.Errorf("job %s on %q: reasons of %d slot cycles, want %d", job, on, got, slots)
	}
	for _, l := range r.Memory {
		if l.Hits+l.Misses != l.Accesses {
			b.t.Errorf("job %s on %q: %+v: hits and misses are not the accesses", job, on, l)
		}
	}
	_, _, bytes := levelOf(r.Stats, "memory")
	if peak := m.Spec.Memory.BytesPerCycle * float64(m.Spec.Memory.Channels); float64(bytes) > peak*float64(r.Cycles) {
		b.t.Errorf("job %s on %q: memory moved %d bytes in %d cycles", job, on, bytes, r.Cycles)
	}
	return r.Cycles
}
