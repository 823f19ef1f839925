package perfetto_test

import (
	"bytes"
	"context"
	"io/fs"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/tracing/perfetto"
)

// Each hardware queue has tracks of its waits, its packets and its launches, with the times of the statistics, and a
// counter of its waves.
func TestTracksOfQueues(t *testing.T) {
	files, file, _, err := experiments.Lookup("peer-atax")
	if err != nil {
		t.Fatal(err)
	}
	text := suite.Must(fs.ReadFile(files, file))(t)
	before, steps, _ := strings.Cut(string(text), "\nsteps:\n")
	steps, _, _ = strings.Cut(steps, "\nexpect:")
	before = strings.Replace(before, "n: 512", "n: 64", 1)
	list := "  " + strings.ReplaceAll(steps, "\n", "\n  ")
	job := suite.Must(config.ParseJob(files, file, []byte(before+"\nqueues:\n- name: one\n  steps:\n"+list+"\n- name: two\n  steps:\n"+strings.ReplaceAll(list, "name: ", "name: other-")+"\n")))(t)
	m := suite.Must(config.LoadMachine(config.Request{Job: job}))(t)
	var b bytes.Buffer
	w := perfetto.New(&b, perfetto.Options{})
	r := suite.Must(gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, Tracer: w}))(t)
	suite.OK(t, w.Close())
	d, slices := decodeSlices(t, b.Bytes())
	type span struct {
		path, name string
		from, to   uint64
	}
	have := map[span]bool{}
	for _, s := range slices {
		have[span{d.path(s.track), s.name, s.at, s.end}] = true
	}
	for _, q := range r.Stats.Queues {
		if len(q.Launches) != 2 {
			t.Errorf("queue %s: %d launches, want 2", q.Name, len(q.Launches))
		}
		for _, l := range q.Launches {
			for kind, at := range map[string][2]uint64{"waits": {l.Packet, l.Ready}, "packets": {l.Read, l.Dispatched}, "launches 00": {l.FirstPlaced, l.Done}} {
				found := false
				for s := range have {
					found = found || strings.HasSuffix(s.path, "queue "+q.Name+"/"+kind) && s.name == l.Step && s.from == at[0] && s.to == at[1]
				}
				if !found && at[0] < at[1] {
					t.Errorf("queue %s: no slice %s of %s from %d to %d", q.Name, l.Step, kind, at[0], at[1])
				}
			}
		}
	}
	suite.Contains(t, b.String(), "waves of queue two")
}
