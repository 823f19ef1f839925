package experiments

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"spvsim/config"
	"spvsim/gpu"
)

// withoutTime runs a job on its own machine without time.
func withoutTime(t *testing.T, job *config.Job, threads int) *gpu.Result {
	t.Helper()
	return runMode(t, job, gpu.Setup{Mode: "functional", Threads: threads})
}

func runMode(t *testing.T, job *config.Job, s gpu.Setup) *gpu.Result {
	t.Helper()
	m, err := config.LoadMachine(config.Request{Job: job})
	if err != nil {
		t.Fatal(err)
	}
	s.Machine, s.Job = m, job
	result, err := gpu.Run(context.Background(), s)
	if err != nil && !clocked[job.Name] {
		t.Error(err)
	}
	if result == nil {
		t.FailNow()
	}
	return result
}

// waiting are the jobs in which workgroups wait for one another: how often they look depends on time.
var waiting = map[string]bool{"koch-queues": true, "scan": true}

// A run without time leaves the bytes of the timed one, on one worker and on two, and executes as many instructions of each class.
func TestFunctionalRunsLeaveTheBuffersOfTimedOnes(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			skipUnderRace(t, name)
			job := load(t, name)
			timed := runMode(t, job, gpu.Setup{})
			for _, threads := range []int{1, 2} {
				if underRace && threads > 1 {
					continue // a shader's own races are the host's then
				}
				got := withoutTime(t, job, threads)
				if got.Stats.Cycles != 0 || got.Stats.TimedShare() != 0 {
					t.Errorf("%d cycles, %g of it timed", got.Stats.Cycles, got.Stats.TimedShare())
				}
				if got.Stats.ByClass != timed.Stats.ByClass && !waiting[name] && !job.IsGraph() {
					t.Errorf("%d threads: instructions %v\nwant %v", threads, got.Stats.ByClass, timed.Stats.ByClass)
				}
				for i, b := range got.Buffers {
					if !unordered[name+"/"+b.Name] && !clocked[name] && !bytes.Equal(b.Bytes, timed.Buffers[i].Bytes) {
						t.Errorf("%d threads: buffer %s is not that of the timed run", threads, b.Name)
					}
				}
			}
		})
	}
}

// One worker does everything in the same order every time, whatever that order is.
func TestOneFunctionalThreadIsDeterministic(t *testing.T) {
	for _, name := range []string{"koch-queues", "histogram", "mariani", "bfs", "nbody"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			skipUnderRace(t, name)
			job := load(t, name)
			a, b := withoutTime(t, job, 1), withoutTime(t, job, 1)
			if fmt.Sprint(a.Stats.ByClass) != fmt.Sprint(b.Stats.ByClass) {
				t.Errorf("%v instructions, then %v", a.Stats.ByClass, b.Stats.ByClass)
			}
			for i := range a.Buffers {
				if !bytes.Equal(a.Buffers[i].Bytes, b.Buffers[i].Bytes) {
					t.Errorf("buffer %s differs", a.Buffers[i].Name)
				}
			}
		})
	}
}
