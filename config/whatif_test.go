package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// The settings of every limit load on every preset, and set keys that exist there: of each there is a preset that changes.
func TestLimitsOfPresets(t *testing.T) {
	changes := map[string]int{}
	for _, name := range Presets() {
		base, err := LoadMachine(Request{Machine: name})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range MachineLimits() {
			m, err := LoadMachine(Request{Machine: name, Set: l.settings})
			if err != nil {
				t.Errorf("%s without %s: %v", name, l.Name, err)
				continue
			}
			changes[l.Name] += len(m.Changes(base))
		}
	}
	for _, l := range MachineLimits() {
		if changes[l.Name] == 0 && l.Name != "fetch" { // presets model no fetch
			t.Errorf("%s changes no preset", l.Name)
		}
	}
}

// A limit that is within another one is removed with it: the other sets all of its keys, to the same values.
func TestLimitsWithin(t *testing.T) {
	for _, l := range limits {
		for _, name := range l.Within {
			inner, err := WithoutSettings([]string{name})
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range inner {
				if !slices.Contains(l.settings, s) {
					t.Errorf("%s is within %s, which does not set %s", name, l.Name, s)
				}
			}
		}
	}
}

func TestParseWhatIf(t *testing.T) {
	list, err := ParseWhatIf([]string{"{narrow: {lds.banks: 16, parameters.n: 8}, tall: {wave_slots: 20}}", "conflicts, narrow+launches,conflicts"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range list {
		got = append(got, c.Name+": "+strings.Join(c.Settings[:min(3, len(c.Settings))], " "))
	}
	want := []string{"narrow: lds.banks=16 parameters.n=8", "tall: wave_slots=20", "conflicts: lds.conflict_cycles=0",
		"narrow+launches: lds.banks=16 parameters.n=8 dispatcher.kernel_launch_cycles=0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if all, err := ParseWhatIf([]string{"all"}); err != nil || len(all) != len(WithoutNames()) {
		t.Errorf("all: %d, %v", len(all), err)
	}
}

func TestWhatIfRefusals(t *testing.T) {
	for text, want := range map[string]string{
		"conflict":                   `found "conflict"`,
		"":                           `found ""`,
		"conflicts+":                 `found ""`,
		"{a: 3}":                     "want names with settings",
		"{a: {}}":                    "found a without settings",
		"{a+b: {lds.banks: 8}}":      `found the name "a+b"`,
		"{conflicts: {lds.banks: 8}": "want a mapping",
		"{all: {lds.banks: 8}}":      `found your own "all"`,
	} {
		if _, err := ParseWhatIf([]string{text}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// An experiment with counterfactuals has each point as it is and on each machine, with its gain.
func TestExperimentWhatIf(t *testing.T) {
	fsys := fstest.MapFS{"job.yaml": {Data: []byte("shader: a.spv\ndispatch: [1]\n")}}
	e := JobExperiment(fsys, "job.yaml")
	list, err := ParseWhatIf([]string{"conflicts,conflicts+latency"})
	if err = errors.Join(err, e.OnCommandLine("", []string{"lds.banks=16,32"}, nil), e.AddWhatIf(list)); err != nil {
		t.Fatal(err)
	}
	points, err := e.Points(false)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range points {
		p := &points[i]
		got = append(got, fmt.Sprint(p.Cell("lds.banks"), " ", p.Cell("what_if"), " ", len(p.Settings)))
	}
	want := []string{"16 none 1", "16 conflicts 2", "16 conflicts+latency 4", "32 none 1", "32 conflicts 2", "32 conflicts+latency 4"}
	if diff := cmp.Diff(want, got); diff != "" || len(e.Derived) != 2 {
		t.Error(diff, e.Derived)
	}
}
