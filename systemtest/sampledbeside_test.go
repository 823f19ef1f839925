package systemtest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"testing"

	"spvsim/gpu"
)

// sampledBeside runs a job with time and sampled, and says whether the true time is in the interval of the estimate. It tests that all else is
// the same, and that the estimate is the same on any number of threads.
func sampledBeside(t *testing.T, text, settings string) (timed, sampled *gpu.Result, inside bool) {
	t.Helper()
	job := parseBeside(t, text)
	timed = besideRun(t, job, settings, nil)
	sample := func(threads int) *gpu.Result {
		return besideRun(t, job, settings, func(s *gpu.Setup) { s.Mode, s.Threads = "sampled", threads })
	}
	sampled = sample(1)
	low, high := sampled.Stats.Interval()
	inside = low <= float64(timed.Stats.Cycles) && float64(timed.Stats.Cycles) <= high
	t.Logf("%d cycles, sampled %d, from %.0f to %.0f, timed %.2f of it", timed.Stats.Cycles, sampled.Stats.Cycles, low, high, sampled.Stats.TimedShare())
	if !reflect.DeepEqual(timed.Buffers, sampled.Buffers) {
		t.Errorf("sampled: other bytes")
	}
	a, b := &timed.Stats.Counts, &sampled.Stats.Counts
	if a.ByClass != b.ByClass || a.Workgroups != b.Workgroups || a.Launches != b.Launches {
		t.Errorf("%d instructions of %d workgroups of %d launches, sampled %d of %d of %d", a.Instructions(), a.Workgroups, a.Launches, b.Instructions(), b.Workgroups, b.Launches)
	}
	for i := range timed.Stats.Steps {
		x, y := &timed.Stats.Steps[i], &sampled.Stats.Steps[i]
		if x.Name != y.Name || x.ByClass != y.ByClass || x.Workgroups != y.Workgroups || x.Launches != y.Launches {
			t.Errorf("step %s: %d workgroups of %d launches, sampled %s: %d of %d", x.Name, x.Workgroups, x.Launches, y.Name, y.Workgroups, y.Launches)
		}
	}
	if again := sample(3); !reflect.DeepEqual(sampled.Stats.Counts, again.Stats.Counts) || !reflect.DeepEqual(sampled.Stats.Steps, again.Stats.Steps) {
		t.Errorf("other counts on three threads: %+v, and %+v", again.Stats.Counts, sampled.Stats.Counts)
	}
	return timed, sampled, inside
}

const besideMix = "shader: mix.spv\nbuffers: [{set: 0, binding: 0, name: words, data: {random: {type: u32, seed: 7, count: 1048576}}}]\n"

// Launches that overlap are sampled as the groups that they form: alike ones are timed a few times, and the others estimated as wholes.
// A launch between them that everything waits for is sampled for itself.
func TestSampledGroups(t *testing.T) {
	_, s, in := sampledBeside(t, besideMix+`
queues:
- steps:
  - for: {i: 0..39}
    steps:
    - {name: a, push_constants: [{u32: 0}, {u32: 65536}, {u32: 400}], dispatch: [8]}
    - {name: b, barrier: false, push_constants: [{u32: 131072}, {u32: 196608}, {u32: 100 + i}], dispatch: [6]}
    - {name: c, push_constants: [{u32: 65536}, {u32: 262144}, {u32: 300}], dispatch: [12]}
`, besideMachine)
	if share := s.Stats.TimedShare(); share > 0.4 || !in {
		t.Errorf("%.2f of it is timed, the true time inside: %v", share, in)
	}
	_, s, in = sampledBeside(t, besideMix+`
queues:
- steps:
  - for: {i: 0..29}
    steps:
    - {name: a, after: [z], push_constants: [{u32: 0}, {u32: 65536}, {u32: 400}], dispatch: [8]}
    - {name: b, barrier: false, push_constants: [{u32: 131072}, {u32: 196608}, {u32: 100 + i}], dispatch: [6]}
- steps:
  - {name: z, push_constants: [{u32: 65536}, {u32: 262144}, {u32: 300}], dispatch: [12]}
`, besideMachine)
	if share := s.Stats.TimedShare(); share > 0.5 || !in {
		t.Errorf("%.2f of it is timed, the true time inside: %v", share, in)
	}
}

// A launch of no workgroups takes what a launch takes, sampled too, in steps and beside others.
func TestSampledLaunchesOfNothing(t *testing.T) {
	const none = "{name: none, push_constants: [{u32: 0}, {u32: 65536}, {u32: 1}], dispatch: [0]}"
	const some = "{name: some, push_constants: [{u32: 0}, {u32: 65536}, {u32: 1}], dispatch: [2]}"
	for _, work := range []string{"steps: [" + none + ", " + none + "," + some + "]\n", "queues:\n- steps: [" + none + ", " + some + "]\n- steps: [" + none + "]\n"} {
		job := parseBeside(t, besideMix+work)
		timed := besideRun(t, job, besideMachine, nil)
		sampled := besideRun(t, job, besideMachine, func(s *gpu.Setup) { s.Mode = "sampled" })
		if !reflect.DeepEqual(timed.Stats.Counts, sampled.Stats.Counts) {
			t.Errorf("%+v, sampled %+v", timed.Stats.Counts, sampled.Stats.Counts)
		}
	}
}

// Launches that overlap to the end are one group, which is timed as a whole.
func TestSampledGroupOfAll(t *testing.T) {
	job := parseBeside(t, besideMix+`
queues:
- steps: [{name: a, push_constants: [{u32: 0}, {u32: 65536}, {u32: 400}], dispatch: [8]}]
- steps: [{name: b, push_constants: [{u32: 131072}, {u32: 196608}, {u32: 500}], dispatch: [6]}]
`)
	timed := besideRun(t, job, besideMachine, nil)
	sampled := besideRun(t, job, besideMachine, func(s *gpu.Setup) { s.Mode = "sampled" })
	if !reflect.DeepEqual(timed.Stats.Counts, sampled.Stats.Counts) || !reflect.DeepEqual(timed.Stats.Steps, sampled.Stats.Steps) {
		t.Errorf("%+v, sampled %+v", timed.Stats.Counts, sampled.Stats.Counts)
	}
}

// largeQueues draws queues of large launches, which share the machine by a policy or have compute units of their own.
func largeQueues(rng *rand.Rand) (queues, settings string) {
	at, text := 0, "queues:\n"
	for q := range 2 + rng.IntN(2) {
		units := ""
		if rng.IntN(3) == 0 {
			units = fmt.Sprintf("units: [%d, %d], ", rng.IntN(2), 2+rng.IntN(2))
		}
		text += fmt.Sprintf("- {%ssteps: [", units)
		for k := range 1 + rng.IntN(2) {
			groups := 100 + rng.IntN(1400)
			text += fmt.Sprintf("{name: s%d%d, barrier: %v, push_constants: [{u32: %d}, {u32: %d}, {u32: %d}], dispatch: [%d]},", q, k, rng.IntN(2) == 0, at, at+32*groups, 1+rng.IntN(80), groups)
			at += 64 * groups
		}
		text += "]}\n"
	}
	return text, "wave_slots=4 dispatcher.share=" + []string{"oldest", "round-robin"}[rng.IntN(2)]
}

// Large launches that overlap are timed in windows, between which each goes on as it did beside the others. SPVSIM_RANDOM_LAUNCHES draws more.
func TestSampledGroupsOfLargeLaunches(t *testing.T) {
	n, outside, timed := 2, 0, 0.0
	if v, err := strconv.Atoi(os.Getenv("SPVSIM_RANDOM_LAUNCHES")); err == nil {
		n = v
	}
	for seed := range n {
		queues, settings := largeQueues(rand.New(rand.NewPCG(uint64(seed), 31)))
		text := besideMix + queues
		_, s, in := sampledBeside(t, text, besideMachine+settings)
		if timed += s.Stats.TimedShare() / float64(n); !in {
			outside++
		}
	}
	if outside > n/10 || timed > 0.7 {
		t.Errorf("the true time is outside of the interval in %d of %d, and %.2f is timed", outside, n, timed)
	}
	t.Logf("outside in %d of %d, %.2f timed", outside, n, timed)
}
