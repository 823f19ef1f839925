package experiments

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
)

// withoutTime runs a job on its own machine in functional mode.
func withoutTime(t *testing.T, job *config.Job, threads int) *gpu.Result {
	t.Helper()
	return runMode(t, job, gpu.Setup{Mode: "functional", Threads: threads})
}

func runMode(t *testing.T, job *config.Job, s gpu.Setup) *gpu.Result {
	t.Helper()
	m := suite.Must(config.LoadMachine(config.Request{Job: job}))(t)
	s.Machine, s.Job = m, job
	result, err := gpu.Run(context.Background(), s)
	if err != nil && !clocked[job.Name] && !isOfFullSize(job.Name, err) {
		t.Error(err)
	}
	if result == nil {
		t.FailNow()
	}
	return result
}

// waiting are the jobs whose instructions depend on time: workgroups wait for one another, or the order of a frontier is
// that in which workgroups came.
var waiting = map[string]bool{"cl-bfs": true, "koch-queues": true, "scan": true}

// A functional run leaves the bytes of the timed one, with one worker and with two, and executes as many instructions
// of each class.
func TestFunctionalRunsLeaveTheBuffersOfTimedOnes(t *testing.T) {
	for i, name := range Names() {
		if testing.Short() && i%6 != 1 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			skipUnderRace(t, name)
			job := loadWith(t, name, smaller[name])
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

// A single worker is deterministic.
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

// sampleCase is a job that is sampled, on few compute units so that its launches have many generations of workgroups.
type sampleCase struct {
	job    string
	params []string
	set    []string
	share  float64 // bound on the timed share of the instructions
	within float64 // of the true cycles
}

// A sampled run leaves the bytes of the timed one, and its interval contains the true number of cycles.
func TestSampledRunsHoldTheTrueTimeInTheirInterval(t *testing.T) {
	small := []string{"shader_engines=1", "compute_units=2"}
	for _, c := range []sampleCase{
		{"peer-bitonic", nil, nil, 0.15, 0.03},
		{"peer-fir", []string{"n=262144"}, small, 0.5, 0.05},
		{"peer-convolution", []string{"width=512", "height=256"}, small, 0.5, 0.03},
	} {
		t.Run(c.job, func(t *testing.T) {
			t.Parallel()
			skipUnderRace(t, c.job)
			if testing.Short() {
				t.Skip("a timed run of each job")
			}
			timed, sampled := runSample(t, c, "timed"), runSample(t, c, "sampled")
			low, high := sampled.Stats.Interval()
			want := float64(timed.Stats.Cycles)
			if want < low || want > high {
				t.Errorf("%.0f cycles: want them in %.0f to %.0f", want, low, high)
			}
			if off := float64(sampled.Stats.Cycles)/want - 1; off > c.within || off < -c.within {
				t.Errorf("%d cycles, want %.0f: %.1f %% off", sampled.Stats.Cycles, want, 100*off)
			}
			if share := sampled.Stats.TimedShare(); share > c.share || share == 0 {
				t.Errorf("%.2f of the instructions were timed, want at most %.2f", share, c.share)
			}
			if sampled.Stats.ByClass != timed.Stats.ByClass || sampled.Stats.Workgroups != timed.Stats.Workgroups || sampled.Stats.Launches != timed.Stats.Launches {
				t.Errorf("other work than the timed run: %d launches, %d workgroups, %d instructions", sampled.Stats.Launches, sampled.Stats.Workgroups, sampled.Stats.Instructions())
			}
			for i, b := range sampled.Buffers {
				if !bytes.Equal(b.Bytes, timed.Buffers[i].Bytes) {
					t.Errorf("buffer %s is not that of the timed run", b.Name)
				}
			}
		})
	}
}

func runSample(t *testing.T, c sampleCase, mode string) *gpu.Result {
	t.Helper()
	fsys, file, _, err := Lookup(c.job)
	if err != nil {
		t.Fatal(err)
	}
	job := suite.Must(config.LoadJobWith(fsys, file, c.params))(t)
	m := suite.Must(config.LoadMachine(config.Request{Job: job, Set: c.set}))(t)
	result, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, Mode: mode, Threads: 1})
	if err != nil && c.params == nil {
		t.Fatal(err)
	}
	return result
}

// The selected part is timed as it would be alone; the rest runs, and its lines are in the caches.
func TestTimedWindows(t *testing.T) {
	job := load(t, "reduce")
	full := runMode(t, job, gpu.Setup{})
	whole := runMode(t, job, gpu.Setup{Time: &config.Time{Workgroups: []int{0, 1 << 20}}})
	if whole.Stats.Cycles != full.Stats.Cycles || whole.Stats.Functional != nil {
		t.Errorf("a window of all: %d cycles, want %d", whole.Stats.Cycles, full.Stats.Cycles)
	}
	part := runMode(t, job, gpu.Setup{Time: &config.Time{Workgroups: []int{64, 127}}, Threads: 1})
	s := part.Stats
	if f := s.Functional; f == nil || f.Workgroups != 192 || s.Workgroups != 256 || s.Launches != 1 || s.Untimed() || s.Mode != "timed in part" {
		t.Errorf("a window of 64 of 256 workgroups: %+v of %d, %d launches, mode %q", s.Functional, s.Workgroups, s.Launches, s.Mode)
	}
	if s.ByClass != full.Stats.ByClass || s.Cycles == 0 || s.Cycles >= full.Stats.Cycles {
		t.Errorf("%d cycles of %d, %d instructions of %d", s.Cycles, full.Stats.Cycles, s.Instructions(), full.Stats.Instructions())
	}
	if !bytes.Equal(part.Buffers[1].Bytes, full.Buffers[1].Bytes) {
		t.Error("the sum is another")
	}
}

// The first launch of each kind is timed; later passes find in the L2 the lines that it would have left there.
func TestTimeFirstOfEachKind(t *testing.T) {
	job := load(t, "peer-bitonic")
	full := runMode(t, job, gpu.Setup{})
	got := runMode(t, job, gpu.Setup{Time: &config.Time{First: 2}, Threads: 1})
	if f := got.Stats.Functional; f == nil || f.Launches != full.Stats.Launches-2 || got.Stats.Launches != full.Stats.Launches {
		t.Errorf("%+v: want all launches but 2", got.Stats.Functional)
	}
	if got.Stats.Cycles >= full.Stats.Cycles/10 {
		t.Errorf("%d cycles of %d", got.Stats.Cycles, full.Stats.Cycles)
	}
}

// Lines that a functional launch touches are in the caches of the timed one after it.
func TestFunctionalLaunchesWarmTheCaches(t *testing.T) {
	misses := func(window *config.Time) (n, all uint64) {
		job := load(t, "peer-atax")
		s := runMode(t, job, gpu.Setup{Time: window, Threads: 1}).Stats
		for i := range s.Steps {
			for _, l := range s.Steps[i].Memory {
				if s.Steps[i].Name == "columns" && l.Name == "l2" {
					n, all = l.Misses, l.Accesses
				}
			}
		}
		return n, all
	}
	timed, all := misses(nil)
	warm, allWarm := misses(&config.Time{Steps: []string{"columns"}})
	if all == 0 || allWarm != all {
		t.Fatalf("%d accesses of the second step to the L2, %d in the full run", allWarm, all)
	}
	if diff := int64(warm) - int64(timed); diff > int64(all)/50 || -diff > int64(all)/50 {
		t.Errorf("%d misses of %d after a functional step, %d after a timed one", warm, all, timed)
	}
}
