package report

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/account"
	"spvsim/internal/suite"
	"spvsim/tracing"
)

func TestStatisticsRows(t *testing.T) {
	const text = `{"machine": "m", "cycles": 1234567, "lds": {"accesses": 5, "passes": 0}, "memory": {"l2": {"hits": 7}}, "occupancy": 0.25,
		"queues": [{"name": "q", "pipe": 3}], "unheard_of": 4, "steps": {"cycles": 9}, "host": {"seconds": 3}, "waves": 2}`
	type row struct{ Path, Value, Unit string }
	var got []row
	for _, r := range statRows([]byte(text)) {
		if r.Meaning == "" {
			t.Errorf("%s has no meaning", r.Path)
		}
		got = append(got, row{r.Path, r.Value, r.Unit})
	}
	want := []row{{"cycles", grouped(1234567), "cycles"}, {"lds.accesses", "5", "accesses"}, {"memory.l2.hits", "7", "accesses"}, {"occupancy", "0.25", "1"}, {"waves", "2", "waves"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, broken := range []string{"", "{", `{"cycles"`, `{"cycles": }`, "[1, 2", "7"} {
		if list := statRows([]byte(broken)); len(list) != 0 {
			t.Errorf("%s has %v", broken, list)
		}
	}
}

// Every count of the statistics' structures is on the page.
func TestEveryCountIsOnThePage(t *testing.T) {
	s := &tracing.Stats{ClockMHz: 1000}
	s.Cycles, s.Slots[account.Empty] = 10, 10
	s.Graph = &account.GraphCounts{Queue: account.QueueCounts{Refusals: 3, Passes: 4, StallLines: 5}}
	s.LDS.ConflictPasses = 6
	text := suite.Must(json.Marshal(s))(t)
	values := map[string]string{}
	for _, r := range statRows(text) {
		values[r.Path] = r.Value
	}
	for path, want := range map[string]string{"graph.queue.refusals": "3", "graph.queue.passes": "4", "graph.queue.stall_lines": "5", "lds.conflict_passes": "6"} {
		if values[path] != want {
			t.Errorf("%s is %q, want %s", path, values[path], want)
		}
	}
}
