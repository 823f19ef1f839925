package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// measuredJobs are jobs that a board with other energies is simulated with.
var measuredJobs = []struct{ job, parameters string }{{"saxpy", ""}, {"reduce", ""}, {"nbody", ""}, {"../figures/idle.yaml", ""}}

// measuredPowers writes the powers of a machine with other energies as measurements, and joules of the first job.
func measuredPowers(t *testing.T, folder string, set ...string) string {
	t.Helper()
	suite.OK(t, os.Mkdir(filepath.Join(folder, "rows"), 0o700))
	suite.OK(t, os.CopyFS(filepath.Join(folder, "figures"), os.DirFS("../../experiments/figures/jobs")))
	rows := "job,parameters,watts,joules,uncertainty\n"
	for i, j := range measuredJobs {
		name := j.job
		if isFile(name) {
			name = filepath.Join(folder, "rows", name)
		}
		args := []string{"run", name, "--machine", "gcn3-r9nano", "--quiet", "--stats", "-"}
		for _, s := range set {
			args = append(args, "--set", s)
		}
		if j.parameters != "" {
			args = append(args, "--param", j.parameters)
		}
		r := spvsim("", args...)
		var s struct {
			Energy struct{ Watts, Joules float64 }
		}
		suite.OK(t, json.Unmarshal([]byte(r.stdout), &s))
		if i == 0 {
			rows += fmt.Sprintf("%s,%s,,%.9g,0.02\n", j.job, j.parameters, s.Energy.Joules)
		} else {
			rows += fmt.Sprintf("%s,%s,%.9g,,0.02\n", j.job, j.parameters, s.Energy.Watts)
		}
	}
	name := filepath.Join(folder, "rows", "measured.csv")
	suite.OK(t, os.WriteFile(name, []byte(rows), 0o600))
	return name
}

// The powers of another machine give its energies; the file that is written is a machine, which has these powers.
func TestEnergyFit(t *testing.T) {
	folder := t.TempDir()
	rows := measuredPowers(t, folder, "energy.scale=3.3", "energy.power.chip.leakage_watts=9")
	mine := filepath.Join(folder, "mine.yaml")
	r := spvsim("", "energy", "fit", rows, "--machine", "gcn3-r9nano", "--key", "energy.scale", "--key", "energy.power.chip.leakage_watts", "-o", mine)
	r.says(t, exitDone, "line 5: idle", "energy.scale", "left out", "mean of the errors", "0.0 %")
	for key, want := range map[string]float64{"scale": 3.3, "leakage_watts": 9} {
		found := regexp.MustCompile(key + `: \{value: ([0-9.e+-]+), source: "M: found by 4 measured powers, [0-9.]+\.\.[0-9.]+ \(95 %\)"\}`).FindStringSubmatch(string(read(t, mine)))
		if found == nil {
			t.Fatalf("the machine has no %s:\n%s", key, read(t, mine))
		}
		if x := suite.Must(strconv.ParseFloat(found[1], 64))(t); x < want*0.999 || x > want*1.001 {
			t.Errorf("%s: found %g, want %g", key, x, want)
		}
	}
	spvsim("", "energy", "fit", rows, "--machine", mine, "--key", "energy.scale").prints(t, exitDone, "base: ")
}

// Entries that the rows do not determine are refused by name, and a job that fails with its line; --fix leaves them.
func TestEnergyFitRefusals(t *testing.T) {
	folder := t.TempDir()
	rows := measuredPowers(t, folder)
	keys := []string{"--key", "energy.scale", "--key", "energy.power.chip.leakage_watts", "--key", "energy.power.chip.clock_watts"}
	fit := append([]string{"energy", "fit", rows, "--machine", "gcn3-r9nano"}, keys...)
	spvsim("", fit...).says(t, exitFailed, "energy.power.chip.leakage_watts, energy.power.chip.clock_watts", "--fix")
	spvsim("", append(fit, "--fix")...).says(t, exitDone, "energy.power.chip.clock_watts stays 6: ")
	for text, want := range map[string]struct {
		status int
		text   string
	}{
		"job,watts\nsaxpy,1\nsaxpi,1\n":                                 {exitBadInput, "line 3: saxpi: "},
		"job,watts\nother.yaml,1\n":                                     {exitBadInput, "other.yaml"},
		"job,watts,parameters\nsaxpy,1,m=3\n":                           {exitBadInput, "line 2: saxpy m=3: "},
		"job,watts,settings\nsaxpy,1,lds.bank=3\n":                      {exitBadInput, "nearest: lds.banks"},
		"job,watts,settings\nsaxpy,1,mode=functional\n":                 {exitBadInput, "want a job that is timed as a whole"},
		"job,watts,settings\nsaxpy,1,limits.cycles=10\n":                {exitFailed, "line 2: saxpy: "},
		"job,watts,settings\nsaxpy,1,machine.energy.scale=7\n":          {exitBadInput, "set energy.scale to 7, which is to be found"},
		"job,watts,settings\nsaxpy,1,\"energy.scale=2 energy.scale\"\n": {exitBadInput, "want name=value"},
	} {
		name := filepath.Join(folder, "rows", "bad.csv")
		suite.OK(t, os.WriteFile(name, []byte(text), 0o600))
		if r := spvsim("", "energy", "fit", name, "--machine", "gcn3-r9nano", "--key", "energy.scale"); r.status != want.status || !strings.Contains(r.stderr, want.text) {
			t.Errorf("%q: status %d, %s: want %d and %q", text, r.status, r.stderr, want.status, want.text)
		}
	}
	spvsim("", "energy", "fit", rows, "--key", "energy.scale").says(t, exitBadInput, "--machine: missing")
	spvsim("", "energy", "fit", rows, "--machine", "gcn3-r9nano").says(t, exitBadInput, "--key: missing")
	spvsim("", "energy", "fiit").says(t, exitBadInput, "did you mean fit?")
	spvsim("", "schema", measuredKind).prints(t, exitDone, "urn:spvsim:measured-power:1", "measured_us")
}
