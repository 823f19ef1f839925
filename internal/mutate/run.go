package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A binary is the tests of one package.
type binary struct {
	dir, path string
	tests     []test // the quickest first
}

// A test is one of a package, measured without any change.
type test struct {
	name    string
	took    time.Duration // of processor time
	reaches map[place]bool
}

// enters says that the test runs the function of a change. Its lines would be too fine: that a case was not entered does
// not say that its condition was not looked at.
func (t *test) enters(c *change) bool {
	first, last := c.in.lines()
	for n := first; n <= last; n++ {
		if t.reaches[place{filepath.Base(c.file), n}] {
			return true
		}
	}
	return false
}

// A change may make the tests slower without making them wrong, so that the
// limit is a multiple of the time of the tests as they are: of processor time,
// which does not depend on what else the host does. One that never ends is noticed.
const (
	slower   = 4
	least    = 3 * time.Second
	waits    = 10 * time.Minute                                 // for one that does not end and does nothing
	maxKiB   = 8 << 20                                          // of address space: a change may ask for memory without end
	shellRun = `ulimit -v %d && ulimit -t %d && exec "$0" "$@"` // one limit a command: not every shell takes two
)

// measure runs each test for itself without any change, when it has to pass: how
// long it takes, and which lines it runs. The program for it is not the one
// with the changes: it counts.
func (b *binary) measure(counting string) error {
	names, err := exec.Command(counting, "-test.list", "^(Test|Example|Fuzz)").Output()
	if err != nil {
		return fmt.Errorf("%s: its tests: %w", b.dir, err)
	}
	profile := filepath.Join(filepath.Dir(b.path), "reached")
	for name := range strings.FieldsSeq(string(names)) {
		cmd, out, err := b.run(counting, 0, waits, "-test.coverprofile", profile, "-test.run", only(test{name: name}))
		if err != nil {
			return fmt.Errorf("%s, %s without a change: %w\n%s", b.dir, name, err, out)
		}
		text, err := os.ReadFile(profile)
		if err != nil {
			return err
		}
		t := test{name, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil}
		if t.reaches, err = reached(text); err != nil {
			return fmt.Errorf("%s, %s: %w", b.dir, name, err)
		}
		b.tests = append(b.tests, t)
	}
	slices.SortStableFunc(b.tests, func(a, b test) int { return cmp.Compare(a.took, b.took) })
	return nil
}

// only is the pattern that chooses tests.
func only(list ...test) string {
	var names []string
	for _, t := range list {
		names = append(names, t.name)
	}
	return "^(" + strings.Join(names, "|") + ")$"
}

// run runs tests with the change of a number, up to the first that fails.
func (b *binary) run(program string, number int, limit time.Duration, args ...string) (*exec.Cmd, []byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), waits)
	defer cancel()
	words := append([]string{"-c", fmt.Sprintf(shellRun, maxKiB, int(limit/time.Second)), program, "-test.short", "-test.failfast"}, args...)
	cmd := exec.CommandContext(ctx, "sh", words...)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", variable, number))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	return cmd, out.Bytes(), err
}

// A round is tests that run in one process.
type round struct {
	tests []test
	took  time.Duration
}

// rounds are the tests that run the function of a change, the quickest first: each round is as
// long as those before it together, so that starting them costs little and a
// quick test that notices the change spares the slow ones.
func (b *binary) rounds(c *change) (list []round) {
	var before time.Duration
	for _, t := range b.tests {
		if !t.enters(c) {
			continue
		}
		last := len(list) - 1
		if last < 0 || list[last].took > max(before, time.Second/2) {
			if last >= 0 {
				before += list[last].took
			}
			list = append(list, round{})
			last++
		}
		list[last].tests, list[last].took = append(list[last].tests, t), list[last].took+t.took
	}
	return list
}

// noticed says whether a test fails with the change of a number.
func (p *program) noticed(number int, c *change) bool {
	for i := range p.binaries {
		b := &p.binaries[i]
		for _, r := range b.rounds(c) {
			if _, _, err := b.run(b.path, number, slower*r.took+least, "-test.run", only(r.tests...)); err != nil {
				return true
			}
		}
	}
	return false
}
