package config

import (
	"strings"
	"testing"
)

func TestExperimentNamesAndValues(t *testing.T) {
	const head = "job: j.yaml\n"
	for text, want := range map[string]string{
		"axes: {lds.banks: [16, 32]}":                        "e.yaml:2: axes.\"lds.banks\": found lds.banks, which the job does not have: want machine.lds.banks for a field of the machine",
		"axes: {banks: {path: lds.banks, values: [16]}}":     "want machine.lds.banks",
		"set: {wave_slots: 4}":                               "want machine.wave_slots",
		"axes: {n: {path: parameters.n, values: [1, 2, 1]}}": "e.yaml:2: axes.n: found n = 1 twice",
		"axes: {n: {path: parameters.n, pow2: [0, 1]}}\nsmall: {axes: {n: {path: parameters.n, values: [4, 4]}}}": "small.axes.n: found n = 4 twice",
		"axes: {z: {zip: {row.a: [1, 1], row.b: [2, 2]}}}":                                                        "found row.a = 1, row.b = 2 twice",
		"figures: {../../x: {kind: line}}":                                                                        "want a name without slashes",
		"figures: {\"a\\tb\": {kind: line}}":                                                                      `found "a\tb": want a name without slashes`,
		"figures: {.hidden: {kind: line}}":                                                                        "want a name without slashes",
		"figures: {'': {kind: line}}":                                                                             "a name of 0 bytes",
		"figures: {" + strings.Repeat("n", 300) + ": {kind: line}}":                                               "a name of 300 bytes",
		"\"a\\eb\": 1": `a\x1bb`,
	} {
		if _, err := LoadExperiment(experimentFiles(head+text), "e.yaml"); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s:\n%v\nwant %s", text, err, want)
		}
	}
	for _, text := range []string{
		"axes: {z: {zip: {row.a: [1, 1], row.b: [2, 3]}}}",
		"axes: {machine.lds.banks: [16, 32]}",
		"figures: {a-b_c.1: {kind: line}}",
	} {
		if _, err := LoadExperiment(experimentFiles(head+text), "e.yaml"); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A baseline or an exclusion that no point matches is a slip.
func TestEmptyMatchesReported(t *testing.T) {
	const axes = "job: j.yaml\naxes: {z: {zip: {row.lanes: [32, 64], row.size: [1, 2]}}}\n"
	for text, want := range map[string]string{
		"derived: {b: {of: cycles, where: {row.lanes: 16}}}": "e.yaml:3: derived.b: found row.lanes = 16, which no point has: want one of 32, 64",
		"exclude: [{row.size: 3}]":                           "exclude[0]: found row.size = 3, which no point has: want one of 1, 2",
		"derived: {b: {of: cycles, where: {row.lanes: 32}}}": "",
		"exclude: [{row.size: 2}]":                           "",
	} {
		e, err := LoadExperiment(experimentFiles(axes+text), "e.yaml")
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Points(false)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
