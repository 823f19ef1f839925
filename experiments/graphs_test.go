package experiments

import (
	"bytes"
	"slices"
	"testing"
)

// graphJobs are the ready jobs that run an execution graph.
func graphJobs() []string {
	var names []string
	for _, r := range graphReferences {
		if !slices.Contains(names, r.job) {
			names = append(names, r.job)
		}
	}
	return names
}

var schedulers = []string{"hardware", "firmware", "multipass", "persistent"}

// A graph leaves the same buffers under every scheduler and on every machine: those that its reference works out.
func TestGraphsGiveTheSameBuffersUnderEveryScheduler(t *testing.T) {
	for _, name := range graphJobs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			job := load(t, name)
			for _, machine := range []string{"gcn3-r9nano", "rdna3-rx7900xtx"} {
				for _, kind := range schedulers {
					sameAsReferences(t, name, execute(t, job, machine, "scheduler.kind="+kind))
					if t.Failed() {
						t.Fatalf("under %s on %s", kind, machine)
					}
				}
			}
		})
	}
}

// sameAsReferences compares all buffers of a graph: those that have no reference stay as they were.
func sameAsReferences(t *testing.T, name string, got map[string][]byte) {
	t.Helper()
	job := load(t, name)
	before := contents(t, job)
	for buffer, data := range before {
		i := slices.IndexFunc(references, func(r reference) bool { return r.job == name && r.buffer == buffer })
		if i < 0 {
			if !bytes.Equal(got[buffer], data) {
				t.Errorf("buffer %s was written", buffer)
			}
			continue
		}
		compare(t, got[buffer], references[i].want(before), references[i].tolerance)
	}
}
