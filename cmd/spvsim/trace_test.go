package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// small is a job and machine that run in a moment.
var small = []string{"run", "reduce", "--machine", "gcn3-r9nano", "--quiet"}

func withFlags(flags ...string) []string { return append(append([]string{}, small...), flags...) }

func size(t *testing.T, file string) int {
	t.Helper()
	b := suite.Must(os.ReadFile(file))(t)
	return len(b)
}

func TestTraceFlags(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	runs := []struct {
		name  string
		flags []string
	}{
		{"whole", nil},
		{"again", nil},
		{"window", []string{"--trace-from", "2000", "--trace-to", "2400"}},
		{"units", []string{"--trace-cus", "0,2-3"}},
		{"limit", []string{"--trace-limit", "100K"}},
	}
	for _, run := range runs {
		r := spvsim("", withFlags(append(run.flags, "--trace", file(run.name))...)...)
		if r.status != exitDone || strings.Contains(r.stderr, "limit of 102400 bytes") != (run.name == "limit") {
			t.Errorf("%s: status %d, error %q", run.name, r.status, r.stderr)
		}
	}
	whole := size(t, file("whole"))
	for _, name := range []string{"window", "units", "limit"} {
		if n := size(t, file(name)); n == 0 || n > whole/3 {
			t.Errorf("%s: %d bytes, the whole trace has %d", name, n, whole)
		}
	}
	a, _ := os.ReadFile(file("whole"))
	if !bytes.Contains(a, []byte("power, watts")) {
		t.Error("the trace has no power")
	}
	if b, _ := os.ReadFile(file("again")); !bytes.Equal(a, b) {
		t.Error("two traces of one job differ")
	}
}

func TestTraceFlagsRefused(t *testing.T) {
	dir := t.TempDir()
	trace := filepath.Join(dir, "t")
	for want, flags := range map[string][]string{
		"--trace-from: want --trace, --accesses or --daisen with it":    {"--trace-from", "5"},
		"--accesses-limit: want --accesses with it":                     {"--accesses-limit", "5M"},
		"--accesses-limit 4K: want at least 1048576 bytes":              {"--accesses", os.DevNull, "--accesses-limit", "4K"},
		"--trace-to 5: want a cycle after":                              {"--trace", trace, "--trace-from", "5", "--trace-to", "5"},
		"--trace-cus: found \"64\": want numbers and ranges":            {"--trace", trace, "--trace-cus", "64"},
		"--trace-limit: found \"x\": want a number of bytes":            {"--trace", trace, "--trace-limit", "x"},
		"--trace-limit 10: want at least 65536":                         {"--trace", trace, "--trace-limit", "10"},
		"--trace-from 99000000: want a cycle before the end of the run": {"--trace", trace, "--trace-from", "99000000"},
		daisenRefuses:  {"--daisen", trace},
		monitorRefuses: {"--monitor", "80"},
		"--monitor: found \"x\": want an integer of 0 to 65535": {"--monitor", "x"},
	} {
		r := spvsim("", withFlags(flags...)...)
		r.says(t, exitBadInput, want)
	}
}

// TestAFailedRunLeavesItsTrace: the trace shows why the run failed.
func TestAFailedRunLeavesItsTrace(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{"--trace": filepath.Join(dir, "t")}
	if akitaTools {
		files["--daisen"] = filepath.Join(dir, "d.sqlite3")
	}
	flags := []string{"--max-cycles", "3000"}
	for flag, file := range files {
		flags = append(flags, flag, file)
	}
	r := spvsim("", withFlags(flags...)...)
	if r.status != exitFailed || !strings.Contains(r.stderr, "cycle limit reached") {
		t.Fatalf("status %d, error %q", r.status, r.stderr)
	}
	for flag, file := range files {
		if size(t, file) < 1<<16 {
			t.Errorf("%s: a file of %d bytes", flag, size(t, file))
		}
	}
}

func TestMonitorFlag(t *testing.T) {
	if !akitaTools {
		t.Skip("built without Akita's tools")
	}
	r := spvsim("", withFlags("--monitor", "0")...)
	r.says(t, exitDone, "the monitor is at http://127.0.0.1:")
}

func TestReportOfJobsAndSavedProfiles(t *testing.T) {
	dir := t.TempDir()
	saved, series, direct, read := filepath.Join(dir, "p.json"), filepath.Join(dir, "s.csv"), filepath.Join(dir, "a.html"), filepath.Join(dir, "b.html")
	if r := spvsim("", withFlags("--profile", saved, "--series", series)...); r.status != exitDone || r.stdout != "" {
		t.Fatalf("run: status %d, error %q", r.status, r.stderr)
	}
	if head, _, _ := strings.Cut(string(must(os.ReadFile(series))), "\n"); !strings.HasPrefix(head, "cycle,cycles,waves,queue,") {
		t.Errorf("series begin with %q", head)
	}
	if r := spvsim("", "report", "reduce", "--machine", "gcn3-r9nano", "--out", direct); r.status != exitDone {
		t.Fatalf("report of a job: %s", r.stderr)
	}
	if r := spvsim("", "report", saved, "--out", read); r.status != exitDone {
		t.Fatalf("report of a profile: %s", r.stderr)
	}
	if !bytes.Equal(must(os.ReadFile(direct)), must(os.ReadFile(read))) {
		t.Error("the pages of a job and of its saved profile differ")
	}
	both := spvsim("", "report", saved, "saxpy", "--out", "-")
	both.prints(t, exitDone, `<article id="run2">`)
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

func TestReportRefused(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "x.json")
	suite.OK(t, os.WriteFile(broken, []byte(`{"format": 9}`), 0o644))
	for want, args := range map[string][]string{
		"want runs":                        {"report"},
		"x.json: profile: want a file":     {"report", broken},
		"no such file":                     {"report", filepath.Join(dir, "missing.json")},
		"want a name of spvsim run --list": {"report", "nothing"},
	} {
		spvsim("", args...).says(t, exitBadInput, want)
	}
}
