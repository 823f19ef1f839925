package perfetto_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/tracing/perfetto"
	"spvsim/tracing/probe"
)

// Traces of different processes may follow each other in one file, with that of a program: their tracks differ, and each slice is there.
func TestTracesJoin(t *testing.T) {
	var all bytes.Buffer
	suite.OK(t, perfetto.WriteProgram(&all, []perfetto.Process{{Name: "p", ClockMHz: 1, Items: []perfetto.WorkItem{{Queue: "0.0", Kind: "dispatch", Name: "a", To: 10}}}}))
	for _, process := range []uint32{64, 65} {
		_, b, _ := traced(t, "reduce", perfetto.Options{Process: process, To: 2000})
		all.Write(b)
	}
	d, list := decodeSlices(t, all.Bytes())
	_, b, _ := traced(t, "reduce", perfetto.Options{To: 2000})
	alone := &trace{}
	alone.d, alone.list = decodeSlices(t, b)
	if want := 2*len(alone.list) + 1; len(list) != want || len(d.tracks) != 2*len(alone.d.tracks)+2 {
		t.Errorf("%d slices on %d tracks, want %d on %d", len(list), len(d.tracks), want, 2*len(alone.d.tracks)+2)
	}
}

// only shows the launches of one step.
type only struct {
	*perfetto.Writer
	step string
}

func (o only) LaunchBegin(l *probe.LaunchInfo) {
	o.SetVisible(l.Step == o.step)
	o.Writer.LaunchBegin(l)
}

// Launches that run while the trace is hidden leave nothing in it; shown ones appear as in a complete trace.
func TestHiddenLaunches(t *testing.T) {
	job := load(t, "peer-atax")
	m := suite.Must(config.LoadMachine(config.Request{Job: job, Machine: "gcn3-r9nano"}))(t)
	count := func(step string) (waves, launches int) {
		var b bytes.Buffer
		w := perfetto.New(&b, perfetto.Options{})
		var tracer probe.Tracer = w
		if step != "" {
			tracer = only{w, step}
		}
		if _, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, Tracer: tracer}); err != nil && smaller["peer-atax"] == nil {
			t.Fatal(err)
		}
		suite.OK(t, w.Close())
		_, list := decodeSlices(t, b.Bytes())
		for _, s := range list {
			switch s.categories[0] {
			case "wave":
				waves++
			case "launch":
				launches++
			}
		}
		return waves, launches
	}
	allWaves, allLaunches := count("")
	one, oneLaunch := count(job.Steps[0].Name)
	other, otherLaunch := count(job.Steps[1].Name)
	none, noLaunch := count("no such step")
	if diff := cmp.Diff([]int{allWaves, allLaunches, 0, 0}, []int{one + other, oneLaunch + otherLaunch, none, noLaunch}); diff != "" || one == 0 || other == 0 {
		t.Errorf("%d and %d waves: %s", one, other, diff)
	}
}
