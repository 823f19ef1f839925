package systemtest

import (
	"context"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/ledger"
	"spvsim/internal/suite"
	"spvsim/tracing"
)

// No part does more than its peak: on random jobs of all kinds of work on random machines, every share is from 0 to 1.
// What an instruction keeps busy after the end of its wave is less than a cycle in a hundred, or a few cycles.
func TestLawNoPartBeatsItsPeak(t *testing.T) {
	machines := suite.Must(ledger.NewMachines())(t)
	b := &writtenBench{t, machines}
	shares := 0
	suite.SampleCases(writtenLines, func(i int) {
		name, s := b.setup(i)
		r, _ := gpu.Run(context.Background(), s)
		if r == nil {
			return
		}
		shares += len(r.Stats.Utilization)
		checkShares(t, name+" on "+ledger.Settings(s.Machine), r.Stats)
	})
	if shares < 100 {
		t.Errorf("%d shares: want many", shares)
	}
}

// The same of library jobs on each preset.
func TestLawNoPartOfPresetsBeatsItsPeak(t *testing.T) {
	presets := config.Presets()
	jobs := []string{"reduce", "transpose-plain", "micro-lds", "saxpy", "micro-atomic", "micro-stride", "koch", "textured-triangle", "histogram", "fft"}
	for i, preset := range presets {
		for k, name := range jobs {
			if testing.Short() && (i+k)%4 > 0 {
				continue
			}
			checkShares(t, name+" on "+preset, energyRun(t, name, preset, "timed").Stats)
		}
	}
}

func checkShares(t *testing.T, where string, s *tracing.Stats) {
	t.Helper()
	for _, u := range s.Utilization {
		if !(u.Share >= 0 && u.Share <= 1) || !(u.Active >= u.Share*0.999 && u.Active <= 1) {
			t.Errorf("%s: %s is at %.4f of its peak, at %.4f in units with work", where, u.Part, u.Share, u.Active)
		}
	}
	if len(s.Utilization) > 0 && s.Stopped == "" && s.Instructions() > 0 && s.Bound() == "" {
		t.Errorf("%s: nothing bounds it", where)
	}
	if strings.Contains(s.Bound(), "wait for ,") {
		t.Errorf("%s: %s", where, s.Bound())
	}
}
