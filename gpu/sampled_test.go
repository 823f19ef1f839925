package gpu

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"spvsim/config"
	"spvsim/internal/suite"
	"spvsim/scheduler"
)

// chain is a launch in which each workgroup waits for the one before it.
const chain = `
shader: chain.spvasm
buffers: [{set: 0, binding: 0, name: done, data: {parts: [{type: u32, values: [1]}, {zero: 6400}]}}]
dispatch: [1600]
sampling: {generations: 4}
`

// Workgroups of a large launch that wait for those before them are not left half done while others run without time.
func TestSampledWorkgroupsMayWaitForEachOther(t *testing.T) {
	s := setup(t, chain, "rdna3-780m", "compute_units=2", "shader_array.shared_by=2")
	s.Mode, s.MaxHostSeconds = config.ModeSampled, 20
	r := suite.Must(Run(t.Context(), s))(t)
	if f := r.Stats.Functional; f == nil || f.Workgroups == 0 || r.Stats.Workgroups != 1600 {
		t.Errorf("%d workgroups, of which without time: %+v", r.Stats.Workgroups, f)
	}
	if done := words(r.Buffers[0].Bytes); slices.Min(done) != 1 {
		t.Error("not all have been there")
	}
	if low, high := r.Stats.Interval(); low <= 0 || high <= low {
		t.Errorf("%g to %g cycles", low, high)
	}
}

// The dispatcher leaves workgroups out, holds others back until those that run have ended, and goes on with the next.
func TestWorkgroupsAreLeftOut(t *testing.T) {
	text := strings.NewReplacer("count: 256", "count: 12800", "dispatch: [4]", "dispatch: [200]").Replace(scale)
	r := suite.Must(newRunner(t.Context(), setup(t, text, "rdna3-780m", "compute_units=1", "shader_array.shared_by=1")))(t)
	var places []uint64
	left := false
	next := func(p scheduler.WorkgroupEnd) (leave uint64, hold bool) {
		places = append(places, p.NextIndex)
		if left || p.EndedWorkgroups < 3 {
			return 0, false
		}
		if p.ResidentWorkgroups > 0 {
			return 0, true
		}
		left = true
		return 50, false
	}
	r.tally.BeginRound()
	suite.OK(t, r.runTimed(firstLaunch(t, r), scheduler.WorkgroupRange{End: 200, OnWorkgroupEnd: next}, false))
	if got := r.tally.Steps[0].Workgroups; got != 150 || !left {
		t.Errorf("%d workgroups ran, want all but 50 of 200", got)
	}
	a, same := words(r.resources.bytesOf("a")), 0
	for g := range 200 {
		if a[64*g+1] == uint32(64*g+1) {
			same++
		}
	}
	if same != 50 || !slices.IsSorted(places) {
		t.Errorf("the numbers of %d workgroups are as they were; those that came next were %v", same, places)
	}
}

// A launch that is run once more with time leaves memory and the counts of its instructions as one run does.
func TestALaunchRunAgainChangesNothing(t *testing.T) {
	twice := strings.Replace(scale, "dispatch: [4]", "steps: [{for: {i: 1..4}, dispatch: [4]}]", 1)
	once := suite.Must(Run(t.Context(), setup(t, twice, "")))(t)
	s := setup(t, twice, "")
	s.Mode = config.ModeSampled
	again := suite.Must(Run(t.Context(), s))(t)
	a, b := once.Stats, again.Stats
	if low, high := b.Interval(); float64(a.Cycles) < low || float64(a.Cycles) > high || a.Instructions() != b.Instructions() || b.TimedShare() < 0.5 || a.Launches != b.Launches {
		t.Errorf("%d cycles, %d instructions, %d launches; run again %d, %d, %d, of which %g timed", a.Cycles, a.Instructions(), a.Launches, b.Cycles, b.Instructions(), b.Launches, b.TimedShare())
	}
	for i := range once.Buffers {
		if !bytes.Equal(once.Buffers[i].Bytes, again.Buffers[i].Bytes) {
			t.Errorf("buffer %s differs", once.Buffers[i].Name)
		}
	}
}

func TestAWindowMustChooseSomething(t *testing.T) {
	s := setup(t, scale, "")
	s.Time = &config.Time{Steps: []string{"none"}}
	if _, err := Run(t.Context(), s); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "time: found no launch that matches: want some of the steps scale.spvasm") {
		t.Error(err)
	}
}

// A functional run stops at its limits and when it is told to, and says what it had done.
func TestFunctionalRunsKeepToLimits(t *testing.T) {
	s := setup(t, spin, "gcn3-r9nano")
	s.Mode, s.MaxHostSeconds = "functional", 0.2
	r, err := Run(t.Context(), s)
	if !errors.Is(err, ErrHostTime) || !errors.Is(err, ErrRun) || !strings.Contains(err.Error(), "0 of 2 workgroups ended, 2 have begun") {
		t.Errorf("%v", err)
	}
	if r.Stats.Stopped != ErrHostTime.Error() || r.Stats.Instructions() == 0 || r.Stats.Cycles != 0 {
		t.Errorf("stopped %q after %d instructions, %d cycles", r.Stats.Stopped, r.Stats.Instructions(), r.Stats.Cycles)
	}
	ctx, stop := context.WithCancel(t.Context())
	s.MaxHostSeconds, s.StallAfter = 0, time.Millisecond
	told := ""
	s.Stalled = func(report string) { told = report; stop() }
	if _, err = Run(ctx, s); !errors.Is(err, ErrInterrupted) || !strings.HasPrefix(err.Error(), "interrupted after ") {
		t.Errorf("%v", err)
	}
	if !strings.Contains(told, "no workgroup has ended for") || !strings.Contains(told, "0 of 2 workgroups ended") {
		t.Errorf("the watchdog said %q", told)
	}
}
