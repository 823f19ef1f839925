package tracing

import (
	"encoding/json"
	"strings"
	"testing"

	"spvsim/account"
	"spvsim/internal/suite"
)

// An estimate lists the statistics without an interval, and the parts that were not sampled, with the reason.
func TestEstimateWithoutInterval(t *testing.T) {
	s := &Stats{Mode: "sampled", ClockMHz: 1000}
	s.Launches, s.Cycles = 1, 1000
	s.Estimate = &account.Estimate{Cycles: 800, Half: 50, NotSampled: []account.NotSampled{{Instructions: 12, Reason: "of its reason"}}}
	text := suite.Must(json.Marshal(s))(t)
	var got struct {
		Estimate struct {
			WithoutInterval []string             `json:"without_interval"`
			NotSampled      []account.NotSampled `json:"not_sampled"`
		}
	}
	suite.OK(t, json.Unmarshal(text, &got))
	if e := got.Estimate; strings.Join(e.WithoutInterval, " ") != "slot_cycles occupancy" || len(e.NotSampled) != 1 || e.NotSampled[0] != s.Estimate.NotSampled[0] {
		t.Errorf("%+v", e)
	}
	var b strings.Builder
	suite.OK(t, WriteSummary(&b, s))
	for _, want := range []string{"12 instructions: of its reason", "slot cycles and occupancy"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the summary has not %q:\n%s", want, &b)
		}
	}
}
