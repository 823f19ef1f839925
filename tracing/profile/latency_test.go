package profile_test

import (
	"fmt"
	"testing"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/tracing/profile"
)

// Each access is in one distribution: those to the LDS as the statistics count them, those to memory as the listings do. Bins
// follow each other, have all accesses, and hold the percentiles.
func TestLatenciesHaveAllAccesses(t *testing.T) {
	for _, x := range jobs {
		t.Run(fmt.Sprint(x), func(t *testing.T) {
			files, file, _, err := experiments.Lookup(x.name)
			if err != nil {
				t.Fatal(err)
			}
			job := suite.Must(config.LoadJob(files, file))(t)
			m := suite.Must(config.LoadMachine(config.Request{Job: job, Machine: x.machine, Set: []string{x.set}}))(t)
			r, p := profileOf(t, job, m)
			var lds, memory, want uint64
			for i := range p.Latencies {
				l := &p.Latencies[i]
				if l.Level == "lds" {
					lds += l.Accesses
				} else {
					memory += l.Accesses
				}
				checkBins(t, l)
			}
			for i := range r.Listings {
				for k := range r.Listings[i].Counts {
					if in := &r.Listings[i].Program.Insts[k]; in.Mem != nil && in.Mem.Space != isa.SpaceLDS {
						want += r.Listings[i].Counts[k].Issues
					}
				}
			}
			if lds != r.Stats.LDS.Accesses || memory != want || memory == 0 {
				t.Errorf("%d accesses to the LDS and %d to memory, want %d and %d", lds, memory, r.Stats.LDS.Accesses, want)
			}
		})
	}
}

func checkBins(t *testing.T, l *profile.Latency) {
	t.Helper()
	sum, last := uint64(0), uint64(0)
	for _, b := range l.Bins {
		if from, to := profile.BinOfLatency(b.From); from != b.From || to != b.To || b.From < last {
			t.Errorf("%s: a bin from %d to %d after %d", l.Level, b.From, b.To, last)
		}
		sum, last = sum+b.Accesses, b.To
	}
	if sum != l.Accesses || l.P50 > l.P95 || l.P95 > l.Max || l.Max >= last || l.Mean > float64(l.Max) {
		t.Errorf("%s: %+v", l.Level, l)
	}
}

// A load of one lane that finds its line in the vector cache takes the latency of that level; one that finds it in the L2, the
// sum of the levels up to there.
func TestLatencyOfLevels(t *testing.T) {
	for _, c := range []struct{ level, bytes string }{{"vector_l1", "8192"}, {"l2", "524288"}} {
		files, file, _, err := experiments.Lookup("micro-chase")
		if err != nil {
			t.Fatal(err)
		}
		over := config.CommandLine{Machine: "gcn3-r9nano", Parameters: []string{"bytes=" + c.bytes, "apart=" + c.bytes + "/128", "before=128"}}
		job, m, err := over.Load(files, file)
		if err != nil {
			t.Fatal(err)
		}
		_, p := profileOf(t, job, m)
		want := uint64(m.VectorL1.LatencyCycles)
		if c.level == "l2" {
			want += uint64(m.L2.LatencyCycles)
		}
		found := false
		for i := range p.Latencies {
			if l := &p.Latencies[i]; l.Level == c.level {
				found = true
				if l.P50 != want {
					t.Errorf("%s: median %d cycles of %d accesses, want %d", c.level, l.P50, l.Accesses, want)
				}
			}
		}
		if !found {
			t.Errorf("%s: no accesses (%+v)", c.level, p.Latencies)
		}
	}
}
