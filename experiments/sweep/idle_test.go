package sweep

import (
	"slices"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// A plan names the keys of its axes and settings that do nothing under a scheduler that points run under, once each.
func TestPlansNameIdleKeys(t *testing.T) {
	for _, c := range []struct {
		axes, settings, want []string
	}{
		{[]string{"machine.scheduler.kind=hardware,firmware"}, []string{"machine.queue.ports=2"}, []string{"queue.ports firmware"}},
		{[]string{"machine.queue.depth=8,64"}, []string{"machine.scheduler.kind=multipass"}, []string{"queue.depth multipass"}},
		{[]string{"machine.queue.depth=8,64"}, []string{"machine.scheduler.kind=hardware"}, nil},
	} {
		e, at, err := Choice{Name: "koch", Axes: c.axes, Settings: c.settings}.Load()
		if err != nil {
			t.Fatal(err)
		}
		p := suite.Must(NewPlan(t.Context(), e, at, false, Limits{}, Identity{}))(t)
		var got []string
		for _, text := range p.Idle {
			key, rest, _ := strings.Cut(text, " does nothing under scheduler.kind ")
			kind, _, _ := strings.Cut(rest, ":")
			got = append(got, key+" "+kind)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v, %v: %q do nothing, want %q", c.axes, c.settings, got, c.want)
		}
	}
}
