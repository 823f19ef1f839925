package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spvsim/check"
	"spvsim/internal/suite"
	"spvsim/vulkan/launch"
)

// Values that the driver would refuse in the middle of a program are refused before it starts.
func TestAppFlagsAreChecked(t *testing.T) {
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--mode", "quick"}, "want one of timed, functional, sampled"},
		{[]string{"--mode", "sampled", "--time", "a*:3"}, "--time: found --mode sampled too: want one of them"},
		{[]string{"--profile", "opengl"}, "--profile opengl: want attachments or webgpu or opencl"},
		{[]string{"--profile", "webgpu", "--opencl"}, "--profile webgpu: found --opencl too"},
		{[]string{"--root", "/none"}, "--root"},
		{[]string{"--root", "/dev/null"}, "--root /dev/null: want a folder"},
		{[]string{"--identity", "someone"}, "want spvsim or device"},
		{[]string{"--max-seconds", "nan"}, "--max-seconds NaN"},
		{[]string{"--max-seconds", "1e9"}, "--max-seconds 1e+09"},
		{[]string{"--max-instructions", "9007199254740993"}, "--max-instructions 9007199254740993"},
		{[]string{"--max-instructions", "9007199254740992", "--max-seconds", "999999999", "--machine", "rdna9"}, "rdna9"}, // the most of both
		{[]string{"--time", "a*:0"}, `--time: a*:0: after the colon: found "0": want an integer of 1`},
		{[]string{"--select", "a[:3"}, `--select: found "a[:3": want a pattern`},
		{[]string{"--machine", "rdna9"}, "rdna9"},
		{[]string{"--machine", "rdna4-like", "--set", "energy.cap=on"}, "--machine rdna4-like: found energy.cap: on"},
		{[]string{"--trace-waves", "a"}, "want --trace with it"},
		{[]string{"--trace-waves", "a:x", "--trace", "t"}, `--trace-waves: a:x: after the colon: found "x": want an integer of 1`},
		{[]string{"--trace-waves", "a", "--trace", "t", "--mode", "functional"}, "waves take no time"},
		{[]string{"--trace-waves", "a", "--trace", "t", "--trace-limit", "5"}, "--trace-limit 5: want at least"},
		{[]string{"--trace-waves", "a", "--trace", "t", "--trace-cus", "3-1"}, "--trace-cus"},
		{[]string{"--trace", "t", "--trace-cus", "1"}, "want --trace-waves with it"},
		{[]string{"--what-if", "all"}, "--what-if: want --select with it"},
		{[]string{"--what-if", "all", "--select", "*", "--capture", "jobs"}, "--what-if: found --capture too"},
		{[]string{"--what-if", "conflict", "--select", "*"}, "nearest: conflicts"},
	} {
		wantRefused(t, spvsim("", append(append([]string{"app"}, c.flags...), "--", "true")...), c.want)
	}
	wantRefused(t, spvsim("", "app"), "want a program")
	wantRefused(t, spvsim("", "app", "--programs", "list.txt", "--", "true"), "found the program true too")
	wantRefused(t, spvsim("", "app", "--jobs", "2", "--", "true"), "want --programs with it")
	wantRefused(t, spvsim("", "app", "--jobs", "0", "--programs", "list.txt"), "--jobs 0")
	wantRefused(t, spvsim("", "app", "--programs", "none.txt"), "none.txt")
	wantRefused(t, spvsim("# none\n\n", "app", "--programs", "-"), "found no program")
}

// Files that can't be written, or two of one kind, are known before the program runs.
func TestAppOutputsAreChecked(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	library := filepath.Join(t.TempDir(), "driver.so")
	suite.OK(t, os.WriteFile(library, nil, 0o666))
	t.Setenv("SPVSIM_VULKAN_DRIVER", library)
	nowhere := filepath.Join(t.TempDir(), "none", "x")
	wantRefused(t, spvsim("", "app", "--rows", "a.csv", "--rows", "b.csv", "--", "true"), "2 files of CSV")
	for _, flag := range []string{"--report", "--trace", "--rows"} {
		wantRefused(t, spvsim("", "app", flag, nowhere+".parquet", "--", "true"), "none")
	}
}

const appRows = `number,kind,name,pipeline,machine,begin_cycle,cycles,microseconds
1,dispatch,layer/a,a,m,0,1500,1.5
`

// Rows of a program become a page by pipeline; other rows are refused by name.
func TestReportOfRows(t *testing.T) {
	folder := t.TempDir()
	good, other, page := filepath.Join(folder, "rows.csv"), filepath.Join(folder, "other.csv"), filepath.Join(folder, "page.html")
	for path, text := range map[string]string{good: appRows, other: "x,y\n1,2\n"} {
		suite.OK(t, os.WriteFile(path, []byte(text), 0o666))
	}
	if r := spvsim("", "report", good, "-o", page); r.status != exitDone {
		t.Fatalf("status %d: %s", r.status, r.stderr)
	}
	text, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(text), "a: 1 times, 1.5 µs, 100.0%") || !strings.Contains(string(text), "layer/a") {
		t.Errorf("%v\n%.2000s", err, text)
	}
	wantRefused(t, spvsim("", "report", other, "-o", page), "other.csv", "no column kind")
	wantRefused(t, spvsim("", "report", filepath.Join(folder, "none.csv"), "-o", page), "none.csv")
}

// A page states that a device's profile is missing; a program that created no device, or dispatched nothing on it, is
// reported.
func TestAppPageMissingParts(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	library, page := filepath.Join(t.TempDir(), "driver.so"), filepath.Join(t.TempDir(), "page.html")
	suite.OK(t, os.WriteFile(library, nil, 0o666))
	t.Setenv("SPVSIM_VULKAN_DRIVER", library)
	const header, row = "number,process,device,kind,name,pipeline,machine,begin_cycle,cycles,microseconds", "1,77,2,dispatch,a,a,m,0,1500,1.5"
	for _, c := range []struct{ flag, program, want string }{
		{"timed", "printf '" + header + "\\n" + row + "\\n' > $SPVSIM_RECORD", "of device 2 of process 77: the driver left no "},
		{"functional", "printf '" + header + "\\n' > $SPVSIM_RECORD", "with --mode functional there is no whole profile"},
		{"timed", "true", "asked for no device"},
		{"timed", "printf '" + header + "\\n1,77,2,transfer,a,a,m,0,1500,1.5\\n' > $SPVSIM_RECORD", "nothing was dispatched: the program opened this driver"},
	} {
		r := spvsim("", "app", "-q", "--mode", c.flag, "--report", page, "--", "sh", "-c", c.program)
		text, err := os.ReadFile(page)
		if r.status != exitDone || err != nil || !strings.Contains(r.stderr, c.want) {
			t.Errorf("%s: status %d, %v, %s", c.program, r.status, err, r.stderr)
		}
		if said := strings.Contains(string(text), c.want); said != strings.Contains(c.want, "profile") && !strings.Contains(c.want, "the driver left") {
			t.Errorf("%s: the page says it: %t", c.program, said)
		}
	}
}

// Reports of a program's processes become one: findings of the same instructions are added up, others listed. No report at all is said.
func TestAppJoinsReportsOfProcesses(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh")
	}
	library, to := filepath.Join(t.TempDir(), "driver.so"), filepath.Join(t.TempDir(), "found.json")
	suite.OK(t, os.WriteFile(library, nil, 0o666))
	t.Setenv("SPVSIM_VULKAN_DRIVER", library)
	finding := func(index, lane, count int) string {
		return fmt.Sprintf(`{"kind": "race between waves", "program": "main", "count": %d, "memory": "LDS", "before": {"index": 1, "lane": %d}, "after": {"index": %d}}`, count, lane, index)
	}
	report := func(list ...string) string {
		return fmt.Sprintf(`printf '{"findings": [%s], "unchecked": ["part"], "out_of_bounds": 2}' > $SPVSIM_CHECK/$$.json`, strings.Join(list, ", "))
	}
	program := "(exec sh -c '" + strings.ReplaceAll(report(finding(7, 0, 3)), "'", `'"'"'`) + "') & wait; " + report(finding(9, 0, 1), finding(7, 5, 4))
	r := spvsim("", "app", "--check-json", to, "--", "sh", "-c", program)
	r.says(t, exitFailed, "check: 4 accesses out of bounds", "check: 2 findings", "2 findings, 4 accesses out of bounds")
	var all check.Report
	suite.OK(t, json.Unmarshal(suite.Must(os.ReadFile(to))(t), &all))
	var got []uint64
	for _, f := range all.Findings {
		got = append(got, uint64(f.After.Index), f.Count)
	}
	if want := []uint64{7, 7, 9, 1}; !slices.Equal(got, want) || len(all.Unchecked) != 1 {
		t.Errorf("found %v and %q, want instructions and counts %v and one text", got, all.Unchecked, want)
	}
	spvsim("", "app", "--check", "--", "sh", "-c", `echo '{"robust_out_of_bounds": 3}' > $SPVSIM_CHECK/$$.json`).
		says(t, exitDone, "check: 3 accesses out of bounds where robustBufferAccess is enabled, which defines them")
	spvsim("", "app", "--check", "--", "true").says(t, exitDone, "check: nothing was looked at")
}

func TestAppProgressText(t *testing.T) {
	p := launch.Progress{Dispatches: 12, Instructions: 34_000_000, Cycle: 5000, Nanoseconds: 2_000_000, EndedWorkgroups: 3, Total: 9}
	want := "12 dispatches and transfers, 34.0M instructions, 5000 cycles, 2.000 ms simulated, 7 s; 3 of 9 workgroups of the next"
	if got := appProgressText(p, 7*time.Second); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Several programs, two at a time: their output and rows are in the order of the list, whichever ends first; an error
// names its program.
func TestAppRunsSeveralPrograms(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	library, met, to := filepath.Join(t.TempDir(), "driver.so"), t.TempDir(), filepath.Join(t.TempDir(), "rows.csv")
	suite.OK(t, os.WriteFile(library, nil, 0o666))
	t.Setenv("SPVSIM_VULKAN_DRIVER", library)
	// The first ends after the second, which must run meanwhile.
	const header = "number,process,device,kind,name,pipeline,machine,begin_cycle,cycles,microseconds"
	row := func(name string) string {
		return "printf '" + header + "\\n1,1,1,dispatch," + name + "," + name + ",m,0,1500,1.5\\n' > $SPVSIM_RECORD; echo said $1" + name
	}
	list := "while [ ! -e " + met + "/two ]; do sleep 0.01; done; " + row("one") + "\n# no program\n" + row("two") + "; touch " + met + "/two; exit 3\ntrue\n"
	r := spvsim(list, "app", "--jobs", "2", "--programs", "-", "--rows", to)
	if r.status == exitDone || r.stdout != "said one\nsaid two\n" || !strings.Contains(r.stderr, "exit status 3") || !strings.Contains(r.stderr, "2 dispatches") {
		t.Errorf("status %d: %s%s", r.status, r.stdout, r.stderr)
	}
	text, err := os.ReadFile(to)
	if want := header + "\n1,1,1,dispatch,one,one,m,0,1500,1.5\n1,1,1,dispatch,two,two,m,0,1500,1.5\n"; err != nil || string(text) != want {
		t.Errorf("%v\n%s", err, text)
	}
}
