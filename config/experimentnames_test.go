package config

import (
	"strings"
	"testing"
)

func TestExperimentNamesAndValues(t *testing.T) {
	const head = "job: j.yaml\n"
	for text, want := range map[string]string{
		"axes: {lds.banks: [16, 32]}":                        "e.yaml:2: axes.\"lds.banks\": the job has no lds.banks: a field of the machine is set by machine.lds.banks",
		"axes: {banks: {path: lds.banks, values: [16]}}":     "set by machine.lds.banks",
		"set: {wave_slots: 4}":                               "set by machine.wave_slots",
		"axes: {n: {path: parameters.n, values: [1, 2, 1]}}": "e.yaml:2: axes.n: n = 1 is there twice",
		"axes: {n: {path: parameters.n, pow2: [0, 1]}}\nsmall: {axes: {n: {path: parameters.n, values: [4, 4]}}}": "small.axes.n: n = 4 is there twice",
		"axes: {z: {zip: {row.a: [1, 1], row.b: [2, 2]}}}":                                                        "row.a = 1, row.b = 2 is there twice",
		"figures: {../../x: {kind: line}}":                                                                        "names a file in the output folder",
		"figures: {\"a\\tb\": {kind: line}}":                                                                      `"a\tb" names a file in the output folder`,
		"figures: {.hidden: {kind: line}}":                                                                        "names a file in the output folder",
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
func TestEmptyMatchesAreSaid(t *testing.T) {
	const axes = "job: j.yaml\naxes: {z: {zip: {row.lanes: [32, 64], row.size: [1, 2]}}}\n"
	for text, want := range map[string]string{
		"derived: {b: {of: cycles, where: {row.lanes: 16}}}": "e.yaml:3: derived.b: no point has row.lanes = 16 (there are 32, 64)",
		"exclude: [{row.size: 3}]":                           "exclude[0]: no point has row.size = 3 (there are 1, 2)",
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
