package profile_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/tracing/probe"
	"spvsim/tracing/profile"
)

// inOrder is a tracer that needs the order of time: it hides that its own does not.
type inOrder struct{ probe.Tracer }

// Units that run ahead of the engine change no count of a profile. Bytes over time are spread between samples, which may lie elsewhere.
func TestOrderOfIssuesChangesNoCount(t *testing.T) {
	for _, name := range []string{"reduce", "mandelbrot", "cl-lu", "bfs"} {
		var list []*profile.Profile
		for _, ordered := range []bool{false, true} {
			fsys, file, _, err := experiments.Lookup(name)
			suite.OK(t, err)
			job := suite.Must(config.LoadJob(fsys, file))(t)
			job.Expect = nil
			m := suite.Must(config.LoadMachine(config.Request{Job: job}))(t)
			c := profile.NewCollector()
			s := gpu.Setup{Machine: m, Job: job, Tracer: c}
			if ordered {
				s.Tracer = inOrder{c}
			}
			if probe.Ordered(s.Tracer) != ordered {
				t.Fatalf("the tracer is ordered: %v", !ordered)
			}
			r := suite.Must(gpu.Run(context.Background(), s))(t)
			list = append(list, suite.Must(profile.New(job, c, m, r.Stats, r.Listings))(t))
		}
		a, b := list[0], list[1]
		for _, x := range [][2]any{{a.Kernels, b.Kernels}, {a.Steps, b.Steps}, {a.Listings, b.Listings}, {a.Latencies, b.Latencies}, {a.Lifetimes, b.Lifetimes},
			{a.Series.Slots, b.Series.Slots}, {a.Series.Issued, b.Series.Issued}, {a.Series.LDS, b.Series.LDS}, {a.Maps.Units, b.Maps.Units}, {a.Maps.Programs, b.Maps.Programs}} {
			if diff := cmp.Diff(x[1], x[0]); diff != "" {
				t.Errorf("%s: in order and not: %.500s", name, diff)
			}
		}
	}
}
