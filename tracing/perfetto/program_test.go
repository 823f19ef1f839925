package perfetto_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/internal/suite"
	"spvsim/tracing/perfetto"
)

// Queues are tracks of their process; labels enclose their work; counters are rates over the work's time.
func TestProgramTrace(t *testing.T) {
	work := func(queue, name string, from, to uint64, labels ...string) perfetto.WorkItem {
		return perfetto.WorkItem{Queue: queue, Kind: "dispatch", Name: name, Labels: labels, From: from, To: to,
			Numbers: []perfetto.Number{{Name: "instructions", Value: 20, Counter: true}, {Name: "waves", Value: 3}}}
	}
	list := []perfetto.Process{
		{Name: "p on m", ClockMHz: 1000, Items: []perfetto.WorkItem{
			work("0.0", "a", 0, 10, "layer", "inner"), work("0.0", "b", 10, 30, "layer"), work("1.0", "copy", 30, 40), work("0.0", "a", 40, 50),
		}},
		{Name: "p on n", ClockMHz: 2000, Items: []perfetto.WorkItem{work("0.0", "c", 5, 6)}},
	}
	var b bytes.Buffer
	suite.OK(t, perfetto.WriteProgram(&b, list))
	d := suite.Must(decode(b.Bytes()))(t)
	var got []string
	open := map[uint64][]string{}
	slices.SortStableFunc(d.events, func(a, b event) int { return int(a.at) - int(b.at) })
	for _, e := range d.events {
		track := d.tracks[e.track]
		switch e.kind {
		case 1:
			open[e.track] = append(open[e.track], fmt.Sprintf("%s: %s from %d", track.name, e.name, e.at))
			if e.categories[0] == "dispatch" && e.notes["waves"] != uint64(3) {
				t.Errorf("%s: notes %v", e.name, e.notes)
			}
		case 2:
			s := open[e.track]
			got = append(got, fmt.Sprintf("%s to %d, in %d", s[len(s)-1], e.at, len(s)-1))
			open[e.track] = s[:len(s)-1]
		case 4:
			got = append(got, fmt.Sprintf("%s: %g at %d", track.name, e.value, e.at))
		}
	}
	slices.Sort(got)
	want := []string{
		"instructions a cycle: 0 at 10", "instructions a cycle: 0 at 30", "instructions a cycle: 0 at 40", "instructions a cycle: 0 at 50", "instructions a cycle: 0 at 6",
		"instructions a cycle: 1 at 10", "instructions a cycle: 2 at 0", "instructions a cycle: 2 at 30", "instructions a cycle: 2 at 40", "instructions a cycle: 20 at 5",
		"queue 0.0: a from 0 to 10, in 2", "queue 0.0: a from 40 to 50, in 0", "queue 0.0: b from 10 to 30, in 1", "queue 0.0: c from 5 to 6, in 0",
		"queue 0.0: inner from 0 to 10, in 1", "queue 0.0: layer from 0 to 30, in 0", "queue 1.0: copy from 30 to 40, in 0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for id, s := range open {
		if len(s) > 0 {
			t.Errorf("track %d: %v is open", id, s)
		}
	}
}
