package systemtest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/gpu"
)

// A mixLaunch is a launch of mix.comp: it reads regions of a buffer and changes others.
type mixLaunch struct {
	source, target, groups int // in regions of 32 words
	rounds                 int
	queue                  int
	barrier                bool
	after                  []int
	transfer               bool // bytes of the source go to the target instead
}

// reads and writes: mix.comp reads what it changes as well.
func (l *mixLaunch) touches(o *mixLaunch) bool {
	meet := func(a, b int) bool { return a < b+o.groups && b < a+l.groups }
	return meet(l.target, o.target) || meet(l.target, o.source) || meet(l.source, o.target)
}

// randomSet draws launches, and lets each wait for those before it that touch what it does: for all of them, or for those that are not
// waited for already.
func randomSet(rng *rand.Rand, launches, regions int) []mixLaunch {
	queues := 1 + rng.IntN(8)
	var list []mixLaunch
	for range launches {
		l := mixLaunch{groups: 1 + rng.IntN(6), rounds: rng.IntN(200), queue: rng.IntN(queues), barrier: rng.IntN(4) == 0, transfer: rng.IntN(8) == 0}
		for l.source < l.target+l.groups && l.target < l.source+l.groups { // its own workgroups don't race
			l.source, l.target = rng.IntN(regions-l.groups), rng.IntN(regions-l.groups)
		}
		for k := range list {
			if list[k].touches(&l) || rng.IntN(20) == 0 {
				l.after = append(l.after, k)
			}
		}
		if rng.IntN(2) == 0 {
			l.after = leanest(list, l.after)
		}
		list = append(list, l)
	}
	return list
}

// leanest leaves those out that another one of them waits for.
func leanest(list []mixLaunch, after []int) []int {
	var reaches func(from, to int) bool
	reaches = func(from, to int) bool {
		return slices.ContainsFunc(list[from].after, func(k int) bool { return k == to || k > to && reaches(k, to) })
	}
	return slices.DeleteFunc(slices.Clone(after), func(k int) bool {
		return slices.ContainsFunc(after, func(o int) bool { return o > k && reaches(o, k) })
	})
}

// text is the set as a job: in one stream, or in its queues.
func mixJob(list []mixLaunch, regions int, inQueues bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "shader: mix.spv\nbuffers: [{set: 0, binding: 0, name: words, data: {random: {type: u32, seed: 7, count: %d}}}]\n", 32*regions)
	step := func(i int) string {
		l := &list[i]
		text := fmt.Sprintf("{name: s%d, push_constants: [{u32: %d}, {u32: %d}, {u32: %d}], dispatch: [%d]", i, 32*l.source, 32*l.target, l.rounds, l.groups)
		if l.transfer {
			text = fmt.Sprintf("{name: s%d, transfer: {bytes: %d, moves: [{to: words, at: %d, from: words, offset: %d, bytes: %d}]}",
				i, 256*l.groups, 128*l.target, 128*l.source, 128*l.groups)
		}
		if inQueues {
			text += fmt.Sprintf(", barrier: %v", l.barrier)
			var names []string
			for _, k := range l.after {
				names = append(names, fmt.Sprintf("s%d", k))
			}
			if names != nil {
				text += ", after: [" + strings.Join(names, ", ") + "]"
			}
		}
		return text + "}\n"
	}
	if !inQueues {
		b.WriteString("steps:\n")
		for i := range list {
			b.WriteString("- " + step(i))
		}
		return b.String()
	}
	b.WriteString("queues:\n")
	for q := range 8 {
		first := true
		for i := range list {
			if list[i].queue != q {
				continue
			}
			if first {
				fmt.Fprintf(&b, "- name: q%d\n  priority: %s\n  steps:\n", q, []string{"low", "medium", "high", "realtime"}[q%4])
				first = false
			}
			b.WriteString("  - " + step(i))
		}
	}
	return b.String()
}

// Launches on up to eight queues, which wait for each other where they touch the same bytes, leave in buffers what they do one after the
// other, on all presets, and in the same cycles with any number of threads. SPVSIM_RANDOM_LAUNCHES sets how many are drawn.
func TestRandomLaunchesBesideEachOther(t *testing.T) {
	n := 10
	if v, err := strconv.Atoi(os.Getenv("SPVSIM_RANDOM_LAUNCHES")); err == nil {
		n = v
	}
	machines := config.Presets()
	shares, turns := []string{"oldest", "round-robin", "priority"}, []string{"round-robin", "priority"}
	for seed := range n {
		rng := rand.New(rand.NewPCG(uint64(seed), 26))
		const regions = 40
		list := randomSet(rng, 1+rng.IntN(24), regions)
		stream, queues := mixJob(list, regions, false), mixJob(list, regions, true)
		settings := fmt.Sprintf("machine=%s shader_engines=%d compute_units=%d front_end.pipes=4 front_end.queues_per_pipe=8 front_end.open_per_pipe=%d front_end.outstanding=%d dispatcher.share=%s front_end.turns=%s "+
			"front_end.slice_low_cycles=%d", machines[seed%len(machines)], 1+rng.IntN(2), 1+rng.IntN(3), 1+rng.IntN(4), 1+rng.IntN(12), shares[rng.IntN(3)], turns[rng.IntN(2)], 1+rng.IntN(2000))
		want := besideRun(t, parseBeside(t, stream), settings, nil)
		var cycles []uint64
		for _, change := range []func(*gpu.Setup){nil, func(s *gpu.Setup) { s.Threads = 2 + seed%3 }, func(s *gpu.Setup) { s.Mode = "functional" }} {
			got := besideRun(t, parseBeside(t, queues), settings, change)
			if string(got.Buffers[0].Bytes) != string(want.Buffers[0].Bytes) {
				t.Errorf("seed %d on %q: other bytes than one after the other:\n%s", seed, settings, queues)
			}
			if got.Stats.Launches != want.Stats.Launches || got.Stats.Instructions() != want.Stats.Instructions() {
				t.Errorf("seed %d: %d launches of %d instructions, one after the other %d of %d", seed,
					got.Stats.Launches, got.Stats.Instructions(), want.Stats.Launches, want.Stats.Instructions())
			}
			// A set of copies alone has no launch that could run without time.
			if untimed := len(cycles) == 2 && got.Stats.Launches > 0; got.Stats.Untimed() != untimed {
				t.Errorf("seed %d: all of it ran without time: %v, want %v", seed, got.Stats.Untimed(), untimed)
			}
			if len(got.Warnings) > 0 {
				t.Errorf("seed %d: dependences are complete: %v", seed, got.Warnings)
			}
			cycles = append(cycles, got.Stats.Cycles)
		}
		if cycles[0] != cycles[1] {
			t.Errorf("seed %d: %d cycles on one thread, %d on %d", seed, cycles[0], cycles[1], 2+seed%3)
		}
	}
}

// Without dependences each two launches that touch the same bytes are a hazard, and no others are.
func TestRandomHazards(t *testing.T) {
	for seed := range 6 {
		rng := rand.New(rand.NewPCG(uint64(seed), 27))
		const regions = 120
		list := randomSet(rng, 8, regions)
		want := 0
		for i := range list {
			list[i].after, list[i].barrier = nil, false
			for k := range i {
				if list[k].touches(&list[i]) {
					want++
				}
			}
		}
		r := besideRun(t, parseBeside(t, mixJob(list, regions, true)), besideMachine, nil)
		if len(r.Warnings) != want {
			t.Errorf("seed %d: %d hazards, want %d: %v", seed, len(r.Warnings), want, r.Warnings)
		}
	}
}

// A hazard is reported with its steps, its queues and the first byte.
func TestHazardsByName(t *testing.T) {
	list := []mixLaunch{{source: 0, target: 4, groups: 2}, {source: 5, target: 7, groups: 1, queue: 1}}
	r := besideRun(t, parseBeside(t, mixJob(list, 8, true)), besideMachine, nil)
	want := fmt.Sprintf("hazard: step s0 (queue q0) writes and step s1 (queue q1) reads byte %d of words, and neither waits for the other", 4*32*5)
	if len(r.Warnings) != 1 || r.Warnings[0] != want {
		t.Errorf("%v, want %q", r.Warnings, want)
	}
	list[1].after = []int{0}
	if r := besideRun(t, parseBeside(t, mixJob(list, 8, true)), besideMachine, nil); len(r.Warnings) != 0 {
		t.Errorf("in order: %v", r.Warnings)
	}
}
