package config

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/internal/suite"
)

const variedExperiment = `job: j.yaml
set: {parameters.n: 1}
axes:
  banks: {path: machine.lds.banks, values: [16, 32]}
  kind: {variants: {plain: {parameters.k: 0}, swapped: {parameters.k: 1}}}
  both: {zip: {a: {path: row.a, values: [1]}, b: {path: row.b, values: [2]}}}
small:
  set: {parameters.n: 2}
  axes: {banks: [8]}
`

func varied(t *testing.T) *Experiment {
	t.Helper()
	e := suite.Must(LoadExperiment(fstest.MapFS{"e.yaml": {Data: []byte(variedExperiment)}}, "e.yaml"))(t)
	return e
}

// pointsText is the settings of each point, a line each.
func pointsText(t *testing.T, e *Experiment, small bool) string {
	t.Helper()
	points := suite.Must(e.Points(small))(t)
	var lines []string
	for _, p := range points {
		last := map[string]string{}
		var order []string
		for _, s := range p.Settings {
			if _, seen := last[s.Path]; !seen {
				order = append(order, s.Path)
			}
			last[s.Path] = s.Value.String()
		}
		var words []string
		for _, path := range order {
			words = append(words, path+"="+last[path])
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return strings.Join(lines, "\n")
}

func TestAxesOfTheCommandLine(t *testing.T) {
	for _, c := range []struct {
		axes, set []string
		small     bool
		want      string
	}{
		{[]string{"banks=64", "kind=swapped"}, nil, false, "parameters.n=1 machine.lds.banks=64 parameters.k=1"},
		{[]string{"banks=64", "kind=swapped"}, nil, true, "parameters.n=2 machine.lds.banks=64 parameters.k=1"},
		{[]string{"banks=64", "kind=plain"}, []string{"parameters.n=9"}, true, "parameters.n=9 machine.lds.banks=64 parameters.k=0"},
		{[]string{"banks=64", "kind=plain", "wave_slots=1..3"}, []string{"machine=rdna4-like", "dispatch=[1, 2, 3]"}, false,
			"parameters.n=1 machine=rdna4-like dispatch=[1, 2, 3] machine.lds.banks=64 parameters.k=0 machine.wave_slots=1\n" +
				"parameters.n=1 machine=rdna4-like dispatch=[1, 2, 3] machine.lds.banks=64 parameters.k=0 machine.wave_slots=2\n" +
				"parameters.n=1 machine=rdna4-like dispatch=[1, 2, 3] machine.lds.banks=64 parameters.k=0 machine.wave_slots=3"},
	} {
		e := varied(t)
		if err := e.OnCommandLine("", c.axes, c.set); err != nil {
			t.Errorf("%v %v: %v", c.axes, c.set, err)
			continue
		}
		if got := pointsText(t, e, c.small); got != c.want {
			t.Errorf("%v %v: points\n%s\nwant\n%s", c.axes, c.set, got, c.want)
		}
	}
}

func TestRefusedOnTheCommandLine(t *testing.T) {
	for _, c := range []struct{ axis, set, want string }{
		{"banks", "", "--axis banks: axes: want PATH=VALUE,VALUE or PATH=FIRST..LAST"},
		{"banks=", "", "want PATH=VALUE,VALUE"},
		{"banks=16,16", "", "found banks = 16 twice"},
		{"banks=8..4", "", "--axis banks=8..4: axes.banks: found 8 to 4 by 1"},
		{"kind=swaped", "", "found swaped: want variants of the axis kind (nearest: swapped)"},
		{"kind=1..2", "", "found a range: want names of variants of the axis kind"},
		{"both=1", "", "whose fields vary together (zip)"},
		{"a=1", "", "found a name that another column has"},
		{"n=[1", "", "want values with commas between"},
		{"", "lds.banks=64", "found a setting of what the axis banks varies: want --axis banks=VALUES"},
		{"", "parameters.n", "--set parameters.n: want PATH=VALUE"},
		{"", "parameters.n=[1", "want a value as YAML writes it"},
	} {
		var axes, set []string
		if c.axis != "" {
			axes = []string{c.axis}
		}
		if c.set != "" {
			set = []string{c.set}
		}
		if err := varied(t).OnCommandLine("", axes, set); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q %q: %v, want %q", c.axis, c.set, err, c.want)
		}
	}
}

// The figure of a sweep follows its axes: a line over numbers, bars over words, none for too many axes.
func TestFigureOfAxes(t *testing.T) {
	for _, c := range []struct{ axes, want string }{
		{"", "[]"},
		{"lds.banks=1,2", "kind: line\nx: lds.banks\n\"y\": cycles\n"},
		{"machine=rdna4-like,gcn3-r9nano lds.banks=1,2", "kind: bar\nseries: lds.banks\nx: machine\n\"y\": cycles\n"},
		{"a=1 b=1 c=1", "facets: c\nkind: line\nseries: b\nx: a\n\"y\": cycles\n"},
		{"a=1 b=1 c=1 d=1", "[]"},
	} {
		e := JobExperiment(nil, "folder/j.yaml")
		suite.OK(t, e.OnCommandLine("", strings.Fields(c.axes), nil))
		e.DrawCycles()
		got := fmt.Sprint(e.Figures)
		if len(e.Figures) == 1 {
			text, _ := e.Figures[0].Text()
			got = strings.TrimLeft(string(text), "\n")
		}
		if got != c.want {
			t.Errorf("%s: figure\n%s\nwant\n%s", c.axes, got, c.want)
		}
	}
}
