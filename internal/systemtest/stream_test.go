package systemtest

import (
	"bytes"
	"io/fs"
	"reflect"
	"regexp"
	"testing"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/gpu"
	"spvsim/internal/suite"
)

var (
	stepsLine = regexp.MustCompile(`(?m)^steps:`)
	indented  = regexp.MustCompile(`(?m)^( |-|#)`)
)

// queued is a job of steps with those in one queue.
func queued(job string) string {
	at := stepsLine.FindStringIndex(job)
	before, steps := job[:at[0]], job[at[1]:]
	after := ""
	if end := regexp.MustCompile(`(?m)^[a-z]`).FindStringIndex(steps); end != nil {
		steps, after = steps[:end[0]], steps[end[0]:]
	}
	return before + "queues:\n- steps:" + indented.ReplaceAllString(steps, "  $1") + after
}

// smallSteps is a job of the library in small, with its steps as they are and in one queue.
func smallSteps(t *testing.T, name string) (jobs [2]*config.Job) {
	t.Helper()
	files, file, _, err := experiments.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	steps := suite.Must(fs.ReadFile(files, file))(t)
	for _, small := range [][2]string{{"size: 128", "size: 32"}, {"n: 512", "n: 64"}, {"{log2n: 14, n: 16384}", "{log2n: 9, n: 512}"}} {
		steps = bytes.Replace(steps, []byte(small[0]), []byte(small[1]), 1)
	}
	for i, text := range []string{string(steps), queued(string(steps))} {
		j := suite.Must(config.ParseJob(files, file, []byte(text)))(t)
		j.Expect = nil // it is of the whole size
		jobs[i] = j
	}
	return jobs
}

// sameStream runs steps as they are and in one queue, which come to the same in all counts.
func sameStream(t *testing.T, what string, jobs [2]*config.Job, machine string, change func(*gpu.Setup)) *gpu.Result {
	t.Helper()
	x, y := besideRun(t, jobs[0], "machine="+machine, change), besideRun(t, jobs[1], "machine="+machine, change)
	a, b := x.Stats.Counts, y.Stats.Counts
	a.Concurrent, b.Concurrent = false, false
	if a.LaunchCycles > b.LaunchCycles {
		t.Errorf("%s on %s: launches cost %d cycles in steps, and %d in a queue", what, machine, a.LaunchCycles, b.LaunchCycles)
	}
	a.LaunchCycles, b.LaunchCycles = 0, 0 // in a queue also what caches write back between launches, which there is time of its own
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%s on %s: in steps %+v, in a queue %+v", what, machine, a, b)
	}
	if !reflect.DeepEqual(x.Buffers, y.Buffers) {
		t.Errorf("%s on %s: other bytes in a queue", what, machine)
	}
	return y
}

// One queue whose steps have barriers is a stream: all of it is the same to the cycle.
func TestOneQueueIsAStream(t *testing.T) {
	for _, machine := range []string{"gcn3-r9nano", "rdna3-rx7900xtx", "cdna3-mi300a"} {
		for _, name := range []string{"deferred-quads", "peer-atax", "peer-bitonic"} {
			sameStream(t, name, smallSteps(t, name), machine, nil)
		}
	}
}

// So it is where a part of the job is timed: the rest takes no time in a queue either, and brings the same lines into the caches.
func TestOneQueueIsAStreamOfWhatIsTimed(t *testing.T) {
	for _, machine := range []string{"gcn3-r9nano", "rdna3-rx7900xtx"} {
		for _, c := range []struct {
			name    string
			windows []string
		}{{"peer-bitonic", []string{"first=2", "workgroups=1..2", "first=3,workgroups=0..0", "workgroups=3..9"}}, {"deferred-quads", []string{"steps=lights"}}} {
			jobs := smallSteps(t, c.name)
			for _, text := range c.windows {
				w := suite.Must(config.ParseTime(text))(t)
				r := sameStream(t, c.name+" "+text, jobs, machine, func(s *gpu.Setup) { s.Time = w })
				if share := r.Stats.TimedShare(); share == 0 || share == 1 {
					t.Errorf("%s %s on %s: %.2f of it is timed", c.name, text, machine, share)
				}
			}
		}
	}
}

// A launch of no workgroups takes what a launch takes, sampled too.
func TestSampledLaunchesOfNothing(t *testing.T) {
	const none = "{name: none, push_constants: [{u32: 0}, {u32: 65536}, {u32: 1}], dispatch: [0]}"
	job := parseBeside(t, "shader: mix.spv\nbuffers: [{set: 0, binding: 0, name: words, data: {random: {type: u32, seed: 7, count: 1048576}}}]\n"+
		"steps: ["+none+", "+none+", {name: some, push_constants: [{u32: 0}, {u32: 65536}, {u32: 1}], dispatch: [2]}]\n")
	timed := besideRun(t, job, besideMachine, nil)
	sampled := besideRun(t, job, besideMachine, func(s *gpu.Setup) { s.Mode = "sampled" })
	if !reflect.DeepEqual(timed.Stats.Counts, sampled.Stats.Counts) {
		t.Errorf("%+v, sampled %+v", timed.Stats.Counts, sampled.Stats.Counts)
	}
}
