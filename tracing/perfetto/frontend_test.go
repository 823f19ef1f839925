package perfetto_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/tracing/perfetto"
)

// The front end's tracks have a slice for each record that it launches, for each change of program and for each read, and reads fetch
// each record once. A record takes at least the time of its rate.
func TestTracksOfTheFrontEnd(t *testing.T) {
	for kind, least := range map[string]uint64{"lists": 5, "generated": 625} { // cycles from record to record
		files, file, _, err := experiments.Lookup("classify")
		suite.OK(t, err)
		job := suite.Must(config.LoadJob(files, file))(t)
		m := suite.Must(config.LoadMachine(config.Request{Job: job, Machine: "rdna3-rx7900xtx", Set: []string{"scheduler.kind=" + kind}}))(t)
		var b bytes.Buffer
		w := perfetto.New(&b, perfetto.Options{})
		r := suite.Must(gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, Tracer: w}))(t)
		suite.OK(t, w.Close())
		count, fetched := map[string]uint64{}, uint64(0)
		d, slices := decodeSlices(t, b.Bytes())
		for _, s := range slices {
			_, track, ok := strings.Cut(d.path(s.track), "front end/")
			if !ok {
				continue
			}
			what := strings.TrimRight(track, " 0123456789")
			if what == "reads" {
				what = strings.TrimLeft(s.name, "0123456789 ")
				what, _, _ = strings.Cut(what, " ")
				n := uint64(0)
				fmt.Sscanf(s.name, "%d records", &n)
				fetched += n
			}
			if count[what]++; s.end <= s.at || what == "launches" && s.end-s.at < least {
				t.Errorf("%s: %s %s from %d to %d", kind, track, s.name, s.at, s.end)
			}
		}
		q := r.Stats.Graph.Queue
		want := map[string]uint64{"launches": q.Records, "program changes": q.ProgramChanges, "header": q.Lists, "program": q.ProgramMisses}
		if kind == "generated" {
			want = map[string]uint64{"launches": q.Records, "program changes": q.ProgramChanges, "preprocessing": q.Lists - 1}
		} else if fetched != q.Records {
			t.Errorf("%s: %d records are read, %d launched", kind, fetched, q.Records)
		}
		for what, n := range want {
			if count[what] != n || n == 0 {
				t.Errorf("%s: %d slices of %s, want %d", kind, count[what], what, n)
			}
		}
	}
}
