package main

import "testing"

// A seed determines a drawn job of the library, all of its jobs are drawn, and their parameters and keys are those of the job.
func TestLibraryWorkloads(t *testing.T) {
	drawn := map[string]bool{}
	for seed := range uint64(200) {
		long := seed%2 > 0
		w := newLibraryWorkload(seed, long)
		w.sampling = "seed: 7"
		if again := newLibraryWorkload(seed, long); again.kind != w.kind {
			t.Errorf("seed %d: %s, then %s", seed, w.kind, again.kind)
		}
		j, err := w.job()
		if err != nil || j.Sampling.Seed != 7 || j.Machine != w.machine {
			t.Errorf("%s: %v", w.kind, err)
		}
		drawn[w.library] = true
	}
	if len(drawn) != len(scaledJobs) {
		t.Errorf("%d of %d jobs are drawn", len(drawn), len(scaledJobs))
	}
}
