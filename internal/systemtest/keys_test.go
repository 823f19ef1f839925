package systemtest

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"strings"
	"testing"

	"spvsim/mem/hierarchy"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/tracing"
)

// A keyRow says what a change of one key of a machine does to a small job.
type keyRow struct {
	key      string
	job      string // of keyJobs
	on       string // settings of both runs
	from, to string // values of the key; from "": the preset's
	does     effect
}

// An effect says what is wrong with the second of two runs; "" is nothing.
type effect func(before, after *keyRun) string

// A keyRun is a run with one value of the key.
type keyRun struct {
	*tracing.Stats
	sum uint32 // of the bytes of all buffers
	err error
}

func slower(a, b *keyRun) string { return expectCycles("more", b.Cycles > a.Cycles, a, b) }
func faster(a, b *keyRun) string { return expectCycles("fewer", b.Cycles < a.Cycles, a, b) }
func differs(a, b *keyRun) string {
	return expectCycles("another number of", b.Cycles != a.Cycles, a, b)
}

// differsWithAkita is differs in builds with Akita's caches; others refuse the machine.
func differsWithAkita() effect {
	if suite.Akita {
		return differs
	}
	return refused("built without Akita's caches")
}

func expectCycles(words string, ok bool, a, b *keyRun) string {
	if ok {
		return ""
	}
	return fmt.Sprintf("%d cycles, then %d: want %s", a.Cycles, b.Cycles, words)
}

// longer is the effect of cycles that are paid at least n times.
func longer(n uint64) effect {
	return func(a, b *keyRun) string {
		return expectCycles(fmt.Sprintf("at least %d more", n), b.Cycles >= a.Cycles+n, a, b)
	}
}

// atLeast is the effect of what takes n cycles by itself.
func atLeast(n uint64) effect {
	return func(a, b *keyRun) string {
		return expectCycles(fmt.Sprintf("at least %d", n), b.Cycles >= n && b.Cycles > a.Cycles, a, b)
	}
}

// exactly is the effect of n cycles more; fewer, of n cycles less.
func exactly(n uint64) effect {
	return func(a, b *keyRun) string {
		return expectCycles(fmt.Sprintf("%d more", n), b.Cycles == a.Cycles+n, a, b)
	}
}

func fewer(n uint64) effect {
	return func(a, b *keyRun) string {
		return expectCycles(fmt.Sprintf("%d fewer", n), b.Cycles+n == a.Cycles, a, b)
	}
}

// between is the effect of least to most cycles more.
func between(least, most uint64) effect {
	return func(a, b *keyRun) string {
		return expectCycles(fmt.Sprintf("%d to %d more", least, most), b.Cycles >= a.Cycles+least && b.Cycles <= a.Cycles+most, a, b)
	}
}

// bound is the effect of a rate at which all that moves takes so many cycles before and after; what else the job does takes no more
// than slack beside that.
func bound(before, after, slack uint64) effect {
	within := func(cycles, n uint64) bool { return cycles >= n && cycles <= n+slack }
	return func(a, b *keyRun) string {
		return expectCycles(fmt.Sprintf("%d, then %d, and up to %d more", before, after, slack), within(a.Cycles, before) && within(b.Cycles, after), a, b)
	}
}

// bothOf is the effect of two.
func bothOf(x, y effect) effect {
	return func(a, b *keyRun) string { return x(a, b) + y(a, b) }
}

// slowed is the effect of a rate, or of how much works beside each other, on what is bound by it: the time grows by a factor, to a tenth.
func slowed(factor float64) effect {
	return func(a, b *keyRun) string {
		r := float64(b.Cycles) / float64(a.Cycles)
		return expectCycles(fmt.Sprintf("%g times as many", factor), r > 0.9*factor && r < 1.1*factor, a, b)
	}
}

// refused is the effect of a value that leaves the job, or the machine, impossible. The error has the words.
func refused(words string) effect {
	return func(_, b *keyRun) string {
		switch {
		case b.err == nil:
			return "not refused"
		case !strings.Contains(b.err.Error(), words):
			return fmt.Sprintf("refused with %q: want %q in it", b.err, words)
		}
		return ""
	}
}

var bufferSum = crc32.MakeTable(crc32.Castagnoli)

func otherBytes(a, b *keyRun) string {
	if a.sum == b.sum {
		return "the buffers are the same"
	}
	return ""
}

// grows is the effect of a statistic that becomes larger, and shrinks one that becomes smaller.
func grows(name string, of func(*tracing.Stats) uint64) effect {
	return func(a, b *keyRun) string {
		if x, y := of(a.Stats), of(b.Stats); y <= x {
			return fmt.Sprintf("%s was %d, then %d: want more", name, x, y)
		}
		return ""
	}
}

func shrinks(name string, of func(*tracing.Stats) uint64) effect {
	return func(a, b *keyRun) string {
		if x, y := of(a.Stats), of(b.Stats); y >= x {
			return fmt.Sprintf("%s was %d, then %d: want fewer", name, x, y)
		}
		return ""
	}
}

// keyMachine is what all rows begin with: a machine of one compute unit that starts at once, whose memory has no banks and no
// queues, so that what a key costs does not depend on when something comes.
var keyMachine = "shader_engines=1 compute_units=1 dispatcher.kernel_launch_cycles=0 dram.standard=none memory_side.clock_mhz=0 memory.clock_mhz=0 front_end.clock_mhz=0 memory_side.latency_cycles=140 memory.requests=0" + withoutQueues()

func withoutQueues() (set string) {
	for _, name := range hierarchy.LevelNames {
		for _, key := range []string{"requests", "write_buffer", "atomics", "link_credits"} {
			set += " " + name + "." + key + "=0"
		}
	}
	return set
}

// A keyBench runs jobs on changed machines, each pair of job and machine once.
type keyBench struct {
	t    *testing.T
	jobs map[string]*config.Job
	runs map[string]*keyRun
}

func newKeyBench(t *testing.T) *keyBench {
	return &keyBench{t, map[string]*config.Job{}, map[string]*keyRun{}}
}

// job reads a job of keyJobs, or a ready one.
func (b *keyBench) job(name string) *config.Job {
	b.t.Helper()
	if j := b.jobs[name]; j != nil {
		return j
	}
	text, own := keyJobs[name]
	var j *config.Job
	var err error
	if own {
		j, err = config.ParseJob(os.DirFS("testdata/keys"), name+".yaml", []byte(text))
	} else {
		files, file, _, e := experiments.Lookup(name)
		if e != nil {
			b.t.Fatal(e)
		}
		j, err = config.LoadJob(files, file)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	b.jobs[name] = j
	return j
}

// run runs a job on the machine with settings, "machine=NAME" among them.
func (b *keyBench) run(job, settings string) *keyRun {
	b.t.Helper()
	key := job + " " + settings
	if b.runs[key] == nil {
		b.runs[key] = b.fresh(b.job(job), settings)
	}
	return b.runs[key]
}

func (b *keyBench) fresh(job *config.Job, settings string) *keyRun {
	q := config.Request{Job: job}
	for _, s := range strings.Fields(keyMachine + " " + settings) {
		s = strings.ReplaceAll(s, ";", " ") // within a value
		if name, is := strings.CutPrefix(s, "machine="); is {
			q.Machine = name
			continue
		}
		q.Set = append(q.Set, s)
	}
	m, err := config.LoadMachine(q)
	if err != nil {
		return &keyRun{err: err}
	}
	r, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, MaxCycles: 1e8})
	out := &keyRun{err: err}
	if err == nil || errors.Is(err, gpu.ErrExpectation) {
		out.err, out.Stats = nil, r.Stats
		for _, buffer := range r.Buffers {
			out.sum = crc32.Update(out.sum, bufferSum, buffer.Bytes)
		}
	}
	return out
}

// check runs a row.
func (b *keyBench) check(r keyRow) {
	b.t.Helper()
	from := r.on
	if r.from != "" {
		from += " " + r.key + "=" + r.from
	}
	before, after := b.run(r.job, from), b.run(r.job, r.on+" "+r.key+"="+r.to)
	if before.err != nil {
		b.t.Errorf("%s=%s, job %s: %v", r.key, r.from, r.job, before.err)
		return
	}
	if after.err != nil {
		after = &keyRun{before.Stats, before.sum, after.err}
	}
	text := r.does(before, after)
	if after.err != nil && text != "" {
		text += ": " + after.err.Error()
	}
	if text != "" {
		b.t.Errorf("%s from %s to %s, job %s on %q: %s", r.key, r.from, r.to, r.job, r.on, text)
	}
}

// longJobs take more than milliseconds.
var longJobs = map[string]bool{"classify": true, "hlsl": true}

// Every key of a machine does something that is stated, on a job where it matters.
func TestEveryKeyActs(t *testing.T) {
	b := newKeyBench(t)
	covered := map[string]bool{}
	for _, r := range append(keyRows(), energyRows()...) {
		covered[r.key] = true
		if !testing.Short() || !longJobs[r.job] {
			b.check(r)
		}
	}
	for _, preset := range config.Presets() {
		m := suite.Must(config.LoadMachine(config.Request{Machine: preset, Job: b.job("all")}))(t)
		for _, l := range m.AllLeaves() {
			if !strings.HasPrefix(l.Path, "timing.classes.") && !strings.HasPrefix(l.Path, "timing.operations.") && !covered[l.Path] {
				t.Errorf("key %s has no row that says what it does", l.Path)
				covered[l.Path] = true
			}
		}
	}
}
