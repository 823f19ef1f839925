package systemtest

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/account"
	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
)

// besideMachine is a machine whose launches cost round numbers: 1,000 cycles the first, 700 after a barrier, 30 + 70 of a pipe's time.
const besideMachine = "shader_engines=1 compute_units=4 dispatcher.kernel_launch_cycles=1000 dispatcher.following_launch_cycles=700 " +
	"front_end.packet_cycles=30 front_end.launch_cycles=70 front_end.signal_cycles=50 front_end.pipes=4 front_end.queues_per_pipe=8 " +
	"front_end.open_per_pipe=64 front_end.outstanding=1024 "

// besideJob is a job of mix.comp and of arithmetic alone.
const besideJob = `
shader: walk.spv
specialization: {0: 6, 1: 32}
buffers:
  - {set: 0, binding: 0, name: table, data: {zero: 262144}}
  - {set: 0, binding: 1, name: words, data: {zero: 1048576}}
  - {set: 0, binding: 2, name: sink, data: {zero: 65536}}
push_constants: [{u32: 0}, {u32: 0}, {u32: 64}, {u32: 1}, {u32: 0}]
`

// onePipe has one pipe serve all queues, a packet in 100 cycles.
const onePipe = "front_end.pipes=1 front_end.queues_per_pipe=8 front_end.packet_cycles=30 front_end.launch_cycles=70 front_end.open_per_pipe=64 front_end.outstanding=64 " +
	"front_end.slice_low_cycles=1 front_end.slice_medium_cycles=1 front_end.slice_high_cycles=1 front_end.slice_realtime_cycles=1 "

// besideQueues is a queue of each priority, the highest last, with the same step.
func besideQueues(step string) string {
	text := "queues:\n"
	for _, p := range []string{"low", "medium", "high", "realtime"} {
		text += fmt.Sprintf("- {name: %s, priority: %s, steps: [%s]}\n", p, p, step)
	}
	return text
}

// otherTurns is the effect of what has launches follow each other otherwise.
func otherTurns(a, b *keyRun) string {
	if reflect.DeepEqual(a.Queues, b.Queues) {
		return "all launches of all queues are in the same cycles"
	}
	return ""
}

func keyFiles(t testing.TB) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	for _, shader := range []string{"walk.spv", "mix.spv"} {
		data := suite.Must(os.ReadFile("testdata/keys/" + shader))(t)
		files[shader] = &fstest.MapFile{Data: data}
	}
	return files
}

func parseBeside(t testing.TB, text string) *config.Job {
	t.Helper()
	j := suite.Must(config.ParseJob(keyFiles(t), "beside.yaml", []byte(text)))(t)
	return j
}

// besideRun runs a job on the machine with settings.
func besideRun(t testing.TB, job *config.Job, settings string, change func(*gpu.Setup)) *gpu.Result {
	t.Helper()
	q := config.Request{Job: job}
	for _, s := range strings.Fields(settings) {
		if name, is := strings.CutPrefix(s, "machine="); is {
			q.Machine = name
			continue
		}
		q.Set = append(q.Set, s)
	}
	m := suite.Must(config.LoadMachine(q))(t)
	s := gpu.Setup{Machine: m, Job: job, MaxCycles: 1e8}
	if change != nil {
		change(&s)
	}
	r, err := gpu.Run(context.Background(), s)
	if err != nil {
		t.Fatalf("%s: %v", settings, err)
	}
	return r
}

// computing runs queues of arithmetic alone.
func computing(t testing.TB, queues, settings string) *gpu.Result {
	t.Helper()
	return besideRun(t, parseBeside(t, besideJob+queues), besideMachine+settings, nil)
}

// Two launches that share nothing, each for half of the machine, take the time of one.
func TestHalvesTakeTheTimeOfOne(t *testing.T) {
	half := func(units string) string { return fmt.Sprintf("- {units: %s, steps: [{dispatch: [64]}]}\n", units) }
	const fast = ideal
	one := computing(t, "queues:\n"+half("[0, 1]"), fast).Stats
	two := computing(t, "queues:\n"+half("[0, 1]")+half("[2, 3]"), fast).Stats
	same := computing(t, "queues:\n"+half("[0, 1]")+half("[0, 1]"), fast).Stats
	if two.Cycles < one.Cycles || two.Cycles > one.Cycles+8 { // the last stores go through one L2
		t.Errorf("two halves take %d cycles, one %d", two.Cycles, one.Cycles)
	}
	for i := range two.Queues {
		// A wave keeps its slot until its store is done, and stores of both go through one L2.
		if got, want := two.Queues[i].SlotCycles, one.Queues[0].SlotCycles; got < want || got > want+want/1000 {
			t.Errorf("queue %d: waves hold slots for %d cycles, alone for %d", i, got, want)
		}
	}
	// The dispatcher goes on where it ended, so that two launches with a workgroup for each of two units are apart without masks as well.
	small := func(n int) uint64 {
		return computing(t, "queues:\n"+strings.Repeat("- steps: [{dispatch: [2]}]\n", n), fast).Stats.Cycles
	}
	if one, two := small(1), small(2); two < one || two > one+8 {
		t.Errorf("two launches of two workgroups take %d cycles, one %d", two, one)
	}
	if two.Instructions() != 2*one.Instructions() || two.Launches != 2 {
		t.Errorf("two halves: %d launches, %d instructions, one %d", two.Launches, two.Instructions(), one.Instructions())
	}
	if work, both := one.Cycles-1000, same.Cycles-1000; both < 2*work*9/10 {
		t.Errorf("two launches on one half take %d cycles beyond what the launch costs, one %d", both, work)
	}
}

// launchesOf is the launches of a queue of n with arithmetic alone.
func launchesOf(t testing.TB, n int, barrier bool, settings string) []account.ConcurrentLaunch {
	t.Helper()
	text := fmt.Sprintf("queues:\n- steps: [{name: tiny, for: {i: 1..%d}, barrier: %v, dispatch: [1]}]\n", n, barrier)
	return computing(t, text, settings).Stats.Queues[0].Launches
}

// After a barrier a launch takes the time of the one before and exactly what the machine says that a following one costs; without one,
// launches leave the pipe at its rate.
func TestLaunchRates(t *testing.T) {
	chain, beside := launchesOf(t, 9, true, ""), launchesOf(t, 9, false, "")
	for i := 1; i < 9; i++ {
		// An end is told a cycle after the wave's.
		if got := chain[i].Dispatched - chain[i-1].Done; got != 700+1 && got != 700 {
			t.Errorf("launch %d after a barrier is opened %d cycles after the end of the one before, want 700", i, got)
		}
		// The first one brings its descriptor into the L2.
		if got, want := chain[i].Done-chain[i].Dispatched, chain[1].Done-chain[1].Dispatched; got != want {
			t.Errorf("launch %d takes %d cycles, the second %d", i, got, want)
		}
		if got := beside[i].Dispatched - beside[i-1].Dispatched; got != 100 {
			t.Errorf("launch %d without a barrier is opened %d cycles after the one before, want 30 + 70", i, got)
		}
	}
	if chain[0].Dispatched != 1000 || beside[0].Dispatched != 1000 {
		t.Errorf("first launches are opened in cycles %d and %d, want 1000", chain[0].Dispatched, beside[0].Dispatched)
	}
	// A dearer launch costs as much more in each link.
	more := launchesOf(t, 9, true, "dispatcher.following_launch_cycles=900")
	if got := more[8].Done - chain[8].Done; got != 8*200 {
		t.Errorf("200 cycles more in each of 8 links come to %d", got)
	}
}

// Limits of launches hold packets back until there are fewer.
func TestLimitsOfLaunches(t *testing.T) {
	one := launchesOf(t, 6, false, "front_end.outstanding=1")
	for i := 1; i < len(one); i++ {
		if one[i].Read < one[i-1].Done {
			t.Errorf("one outstanding: packet %d is read in cycle %d, before launch %d is done in cycle %d", i, one[i].Read, i-1, one[i-1].Done)
		}
	}
	slow := "dispatcher.workgroups_per_cycle=0.001"
	wide := func(settings string) []account.ConcurrentLaunch {
		return computing(t, "queues:\n- steps: [{name: a, dispatch: [8]}, {name: b, barrier: false, dispatch: [8]}]\n", slow+" "+settings).Stats.Queues[0].Launches
	}
	if l := wide("front_end.open_per_pipe=1"); l[1].Read < l[0].LastPlaced {
		t.Errorf("one open: the second packet is read in cycle %d, the first launch placed in cycle %d", l[1].Read, l[0].LastPlaced)
	}
	if l := wide(""); l[1].Read >= l[0].LastPlaced {
		t.Errorf("many open: the second packet is read in cycle %d, after cycle %d", l[1].Read, l[0].LastPlaced)
	}
}

// A pipe goes on with a queue for the slice of its priority while others wait, or always with the highest.
func TestSlicesOfAPipe(t *testing.T) {
	text := "queues:\n"
	for _, p := range []string{"low", "high"} {
		text += fmt.Sprintf("- {name: %s, priority: %s, pipe: 0, steps: [{name: s, for: {i: 1..12}, barrier: false, dispatch: [1]}]}\n", p, p)
	}
	order := func(settings string) string {
		s := computing(t, text, settings).Stats
		out := make([]byte, 24)
		for i, c := range []byte("LH") {
			for _, l := range s.Queues[i].Launches {
				out[(l.Read-900)/100] = c
			}
		}
		return string(out)
	}
	slices := "front_end.slice_low_cycles=200 front_end.slice_high_cycles=400 "
	if got, want := order(slices+"front_end.turns=round-robin"), "LLHHHHLLHHHHLLHHHHLLLLLL"; got != want {
		t.Errorf("slices of 200 and 400 cycles: %s, want %s", got, want)
	}
	if got, want := order(slices+"front_end.turns=priority"), strings.Repeat("H", 12)+strings.Repeat("L", 12); got != want {
		t.Errorf("by priority: %s, want %s", got, want)
	}
}

// The dispatcher's rate is shared by its policy.
func TestSharesOfTheDispatcher(t *testing.T) {
	text := "queues:\n- {name: low, priority: low, steps: [{name: a, dispatch: [16]}]}\n- {name: high, priority: high, steps: [{name: b, dispatch: [16]}]}\n"
	placed := func(share string) (low, high account.ConcurrentLaunch) {
		q := computing(t, text, "dispatcher.workgroups_per_cycle=0.01 dispatcher.share="+share).Stats.Queues
		return q[0].Launches[0], q[1].Launches[0]
	}
	low, high := placed("oldest")
	if low.LastPlaced-low.FirstPlaced != 1500 || high.FirstPlaced != low.LastPlaced+100 {
		t.Errorf("oldest: the first is placed from %d to %d, the second from %d on; want 15 x 100 cycles each, one after the other", low.FirstPlaced, low.LastPlaced, high.FirstPlaced)
	}
	low, high = placed("round-robin")
	if low.LastPlaced-low.FirstPlaced != 3000 || high.FirstPlaced != low.FirstPlaced+100 || high.LastPlaced != low.LastPlaced+100 {
		t.Errorf("round robin: placed from %d to %d and from %d to %d; want each 200 cycles between two", low.FirstPlaced, low.LastPlaced, high.FirstPlaced, high.LastPlaced)
	}
	low, high = placed("priority")
	if high.LastPlaced-high.FirstPlaced > 1600 || low.LastPlaced < high.LastPlaced {
		t.Errorf("priority: low is placed from %d to %d, high from %d to %d", low.FirstPlaced, low.LastPlaced, high.FirstPlaced, high.LastPlaced)
	}
}

// A wait for another queue costs what its signal takes beyond that of its own, and the results say who kept it.
func TestWaitsForOtherQueues(t *testing.T) {
	text := "queues:\n- {name: first, steps: [{name: a, dispatch: [16]}]}\n- {name: second, steps: [{name: b, after: [a], dispatch: [16]}]}\n"
	for _, c := range []struct {
		settings string
		want     uint64
	}{{"", 50 + 700}, {"front_end.signal_cycles=250", 250 + 700}} {
		q := computing(t, text, c.settings).Stats.Queues
		a, b := q[0].Launches[0], q[1].Launches[0]
		if got := b.Dispatched - a.Done; got != c.want {
			t.Errorf("%q: opened %d cycles after the end, want %d", c.settings, got, c.want)
		}
		if k := q[1].Delays; len(k) != 1 || k[0].Queue != "first" || k[0].Dependence != b.Ready-b.Packet {
			t.Errorf("%q: kept by %+v, want first for %d cycles", c.settings, k, b.Ready-b.Packet)
		}
	}
}

// What can't be is refused by name.
func TestQueuesThatCanNotBe(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"queues:\n- steps: [{name: a, after: [b], dispatch: [1]}, {name: b, dispatch: [1]}]\n", `step "a" waits for itself`},
		{"queues:\n- steps: [{name: a, after: [bb], dispatch: [1]}]\n- steps: [{name: b, dispatch: [1]}]\n", `found "bb": want the name of a step (nearest: b)`},
		{"steps: [{name: a, barrier: false, dispatch: [1]}]\n", "steps[0].barrier: found in a step outside of queues"},
		{"queues:\n- steps: [{dispatch: [1]}]\ndispatch: [1]\n", "want one of queues, steps"},
		{"queues:\n- {units: [3, 2], steps: [{dispatch: [1]}]}\n", "found 3 to 2"},
		{"queues:\n- {name: x}\n", "queues[0].steps: missing"},
	} {
		if _, err := config.ParseJob(keyFiles(t), "job.yaml", []byte(besideJob+c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
	for _, c := range []struct{ text, settings, want string }{
		{"queues:\n- {pipe: 4, steps: [{dispatch: [1]}]}\n", "", "pipe 4: the machine has 4"},
		{"queues:\n- {units: [0, 4], steps: [{dispatch: [1]}]}\n", "", "found 4: want less than 4"},
		{"queues:\n- {pipe: 1, steps: [{dispatch: [1]}]}\n- {pipe: 1, steps: [{dispatch: [1]}]}\n", "front_end.queues_per_pipe=1", "pipe 1 has 1 queues already"},
		{"queues:\n- steps: [{release: [l9], dispatch: [1]}]\n", "", `found level "l9": want a level of memory`},
		{"queues:\n- steps: [{acquire: [l9], dispatch: [1]}]\n", "", `found level "l9": want a level of memory`},
		{"queues:\n- steps: [{acquire: [l2], dispatch: [1]}]\n", "memory.model=akita", "want memory.model fast"},
		{"queues:\n- steps: [{dispatch: [1]}, {mode: functional, dispatch: [1]}]\n", "", "mode: found functional: want one mode for all launches of queues"},
		{"mode: sampled\nqueues:\n- steps: [{dispatch: [1]}]\n- steps: [{dispatch: [1]}]\n", "", "queues[0].steps[0]: mode: found sampled: want timed or functional (of launches that overlap, time chooses what is timed), or the launches as steps, one after the other"},
		{"queues:\n- steps: [{once: true, dispatch: [1]}]\n", "", "found once: want no step that runs once in queues"},
	} {
		job := parseBeside(t, besideJob+c.text)
		m := suite.Must(config.LoadMachine(config.Request{Job: job, Set: strings.Fields(besideMachine + c.settings)}))(t)
		if _, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
}

// A barrier writes back and invalidates the levels that it names, and no others.
func TestBarriersOfLevels(t *testing.T) {
	run := func(barrier string) (hits uint64, wait uint64) {
		text := "shader: walk.spv\nspecialization: {0: 2, 1: 32}\n" + besideJob[strings.Index(besideJob, "buffers:"):strings.Index(besideJob, "push_constants")] +
			"push_constants: [{u32: 1}, {u32: 32}, {u32: 32}, {u32: 1}, {u32: 4096}]\nqueues:\n- steps:\n  - {name: store, dispatch: [4]}\n" +
			"  - {name: load, specialization: {0: 0}, dispatch: [4]" + barrier + "}\n  - {name: again, specialization: {0: 0}, dispatch: [4]" + barrier + "}\n"
		const back = " compute_units=1 l2.shared_by=1 l2.write=back l2.write_allocate=true l2.release_at_end=true "
		r := besideRun(t, parseBeside(t, text), besideMachine+back, nil)
		q := r.Stats.Queues[0].Launches
		for _, l := range r.Stats.Memory {
			if l.Name == "vector_l1" {
				hits = l.Hits
			}
		}
		return hits, q[1].Ready - q[0].Done
	}
	allHits, allWait := run("")
	hits, wait := run(", release: [], acquire: []")
	if hits <= allHits {
		t.Errorf("without acquire %d hits in the vector cache, with %d: want more", hits, allHits)
	}
	if wait > 1 || allWait <= wait {
		t.Errorf("without release a launch is ready %d cycles after the end of what it waits for, with %d: want at most 1, and more", wait, allWait)
	}
	if hits, _ := run(", release: [], acquire: [scalar_l1]"); hits <= allHits {
		t.Errorf("the scalar cache alone is invalidated: %d hits in the vector cache, of all %d: want more", hits, allHits)
	}
	if hits, wait := run(", release: [l2], acquire: [vector_l1]"); hits != allHits || wait != allWait {
		t.Errorf("the levels that matter by name: %d hits, %d cycles; all: %d, %d", hits, wait, allHits, allWait)
	}
}
