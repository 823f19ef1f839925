package experiments

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"spvsim/account"
	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/tracing"
	"spvsim/tracing/profile"
)

// outputSchemas are the schemas of what a run writes.
type outputSchemas struct{ statistics, profile, listing *jsonschema.Schema }

func schemasOfRuns(t *testing.T) outputSchemas {
	return outputSchemas{suite.Schema(t, tracing.StatisticsSchema), suite.Schema(t, profile.Schema), suite.Schema(t, tracing.ListingSchema)}
}

// check runs a job and validates all that it writes.
func (o *outputSchemas) check(t *testing.T, setup gpu.Setup, want error) {
	t.Helper()
	collector := profile.NewCollector()
	setup.Tracer = collector
	r, err := gpu.Run(context.Background(), setup)
	if err != nil && (want == nil || !errors.Is(err, want)) {
		t.Fatal(err)
	}
	var stats, listing, profiled bytes.Buffer
	suite.OK(t, tracing.WriteJSON(&stats, r.Stats))
	suite.OK(t, tracing.WriteListingsJSON(&listing, r.Listings))
	p := suite.Must(profile.New(setup.Job, collector, setup.Machine, r.Stats, r.Listings))(t)
	suite.OK(t, p.WriteJSON(&profiled))
	suite.Obeys(t, "statistics", o.statistics, stats.Bytes())
	suite.Obeys(t, "listing", o.listing, listing.Bytes())
	suite.Obeys(t, "profile", o.profile, profiled.Bytes())
	if stopped := strings.HasPrefix(stats.String(), "{\n  \"stopped\": "); stopped != (want != nil && errors.Is(err, want) && want != gpu.ErrExpectation) {
		t.Errorf("stopped is the first member: %v, after %v", stopped, err)
	}
}

// All that each ready job writes obeys the schemas.
func TestOutputsObeyTheirSchemas(t *testing.T) {
	schemas := schemasOfRuns(t)
	for i, name := range Names() {
		if testing.Short() && i%6 != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			skipUnderRace(t, name)
			job, m := settled(t, name, config.DefaultMachine, nil, smaller[name]...)
			schemas.check(t, gpu.Setup{Machine: m, Job: job, MaxCycles: 1e8}, gpu.ErrExpectation)
		})
	}
}

// So does what other runs write: functional and sampled ones, ones on other machines, and ones that are stopped, which say so first.
func TestOutputsOfOtherRunsObeyTheirSchemas(t *testing.T) {
	schemas := schemasOfRuns(t)
	for _, row := range []struct {
		job, machine string
		change       func(*gpu.Setup)
		want         error
	}{
		{"reduce", "rdna3-rx7900xtx", func(s *gpu.Setup) { s.Mode = config.ModeFunctional }, nil},
		{"reduce", "rdna3-rx7900xtx", func(s *gpu.Setup) { s.Mode = config.ModeSampled }, nil},
		{"koch", "gcn3-r9nano", func(*gpu.Setup) {}, nil},
		{"helper-lanes", "cdna3-mi300a", func(*gpu.Setup) {}, nil},
		{"reduce", "rdna3-rx7900xtx", func(s *gpu.Setup) { s.MaxCycles = 3000 }, gpu.ErrLimit},
		{"nbody", "rdna3-rx7900xtx", func(s *gpu.Setup) { s.MaxHostSeconds = 1e-9 }, gpu.ErrHostTime},
	} {
		job, m := settled(t, row.job, row.machine, nil)
		setup := gpu.Setup{Machine: m, Job: job}
		row.change(&setup)
		if row.want == gpu.ErrHostTime {
			setup.MaxHostSeconds = 0.05
		}
		schemas.check(t, setup, row.want)
	}
	// What no short run has.
	stats := tracing.Stats{Mode: "sampled", ClockMHz: 1000, WhatIf: []tracing.Counterfactual{{Name: "conflicts", Low: 1, High: 2, Advice: "a"}}}
	stats.Estimate = &account.Estimate{NotSampled: []account.NotSampled{{Instructions: 3, Reason: "b"}}, Units: []account.SampledUnit{{}}, Halves: []account.Half{{Name: "l2.hits"}}}
	stats.Queues = []account.HardwareQueue{{Name: "q", Delays: []account.QueueDelay{{}}, Launches: []account.ConcurrentLaunch{{}, {Memory: []account.LaunchTraffic{{}}}}}}
	stats.Steps = []account.StepCounts{{Name: "a", Counts: stats.Counts}}
	suite.Obeys(t, "statistics", schemas.statistics, suite.Must(json.Marshal(&stats))(t))
}

// A schema refuses what its output does not write: it would be of no use if it took everything.
func TestSchemasRefuse(t *testing.T) {
	schemas := schemasOfRuns(t)
	stats := tracing.Stats{ClockMHz: 1000}
	good := string(suite.Must(json.Marshal(&stats))(t))
	suite.Obeys(t, "good", schemas.statistics, []byte(good))
	for _, change := range [][2]string{{`"clock_mhz":1000`, `"clock_mhz":"1000"`}, {`"clock_mhz":1000,`, ``}, {`"cycles":0`, `"cycles":0.5`}, {`"cycles":0`, `"cyles":0`}, {`"format":1`, `"format":2`}} {
		bad := strings.Replace(good, change[0], change[1], 1)
		if bad == good || schemas.statistics.Validate(suite.Must(jsonschema.UnmarshalJSON(strings.NewReader(bad)))(t)) == nil {
			t.Errorf("%s for %s is accepted", change[1], change[0])
		}
	}
}
