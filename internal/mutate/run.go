package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A binary is the tests of one package.
type binary struct {
	dir, path, overlay string
	uses               []string // which of the changed packages
	tests              []test   // the quickest first
}

// A test is one of a package, measured without any change.
type test struct {
	name    string
	took    time.Duration // of processor time
	reaches map[int]bool  // the functions that it enters, by their entries
	whole   bool          // all of the package's tests in one process, and not in their short form
}

// together are packages whose tests share what takes long to make, a driver that is built, and have no short form. Among the programs that
// they start are some that reserve more addresses than they use.
var together = map[string]bool{"vulkan": true}

// A change may make the tests slower without making them wrong, so that the
// limit is a multiple of the time of the tests as they are: of processor time,
// which does not depend on what else the host does. One that never ends is noticed.
const (
	slower   = 4
	least    = 3 * time.Second
	waits    = 10 * time.Minute                                 // for one that does not end and does nothing
	maxKiB   = "8388608"                                        // of address space: a change may ask for memory without end
	shellRun = `ulimit -v %s && ulimit -t %d && exec "$0" "$@"` // one limit a command: not every shell takes two
)

// measure runs each test for itself without any change, when it has to pass: how
// long it takes, and which functions it enters. One that minds the overlay, as what asks
// for the packages' imports does, is left out.
func (p *program) measure() error {
	for _, b := range p.binaries {
		list, err := b.list()
		if err != nil {
			return err
		}
		for _, t := range list {
			if err := b.measure(&t); err != nil {
				fmt.Fprintf(os.Stderr, "left out: %v\n", err)
				continue
			}
			b.tests = append(b.tests, t)
		}
		slices.SortStableFunc(b.tests, func(a, b test) int { return cmp.Compare(a.took, b.took) })
	}
	return nil
}

// list asks a binary for its tests.
func (b *binary) list() (tests []test, err error) {
	if together[b.dir] {
		return []test{{name: ".*", whole: true}}, nil
	}
	cmd := exec.Command(b.path, "-test.list", "^(Test|Example|Fuzz)")
	cmd.Dir = b.dir
	names, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: its tests: %w", b.dir, err)
	}
	for name := range strings.FieldsSeq(string(names)) {
		tests = append(tests, test{name: name})
	}
	return tests, nil
}

// measure runs one test.
func (b *binary) measure(t *test) error {
	report := filepath.Join(filepath.Dir(b.path), "entered")
	if err := os.Remove(report); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	cmd, out, err := b.run(measuring, waits, !t.whole, "-test.run", only(*t))
	if err != nil {
		return fmt.Errorf("%s, %s without a change: %w\n%s", b.dir, t.name, err, out)
	}
	t.took = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	text, err := os.ReadFile(report)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	t.reaches, err = readEntries(text)
	return err
}

// readEntries reads the numbers of the functions that a test entered, a line each.
func readEntries(text []byte) (map[int]bool, error) {
	entries := map[int]bool{}
	for word := range strings.FieldsSeq(string(text)) {
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil, fmt.Errorf("entered functions: %q: want a number", word)
		}
		entries[n] = true
	}
	return entries, nil
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
func (b *binary) run(number int, limit time.Duration, short bool, args ...string) (*exec.Cmd, []byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), waits)
	defer cancel()
	addresses := maxKiB
	if together[b.dir] {
		addresses = "unlimited"
	}
	words := append([]string{"-c", fmt.Sprintf(shellRun, addresses, int(limit/time.Second)), b.path, "-test.failfast", fmt.Sprintf("-test.short=%t", short)}, args...)
	cmd := exec.CommandContext(ctx, "sh", words...)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", variable, number), entered+"="+filepath.Join(filepath.Dir(b.path), "entered"),
		"GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+b.overlay)) // for tests that build something
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	return cmd, out.Bytes(), err
}

// A round is tests of one package that run in one process.
type round struct {
	in    *binary
	tests []test
	took  time.Duration
}

// rounds are the tests that enter a function, the quickest first: each round is as
// long as those before it together, so that starting them costs little and a
// quick test that notices the change spares the slow ones.
func (b *binary) rounds(entry int) (list []round) {
	var before time.Duration
	for _, t := range b.tests {
		if !t.reaches[entry] {
			continue
		}
		last := len(list) - 1
		if last < 0 || list[last].took > max(before, time.Second/2) {
			if last >= 0 {
				before += list[last].took
			}
			list = append(list, round{in: b})
			last++
		}
		list[last].tests, list[last].took = append(list[last].tests, t), list[last].took+t.took
	}
	return list
}

// rounds are those of the package itself, then those of the packages that import it, the shortest first.
func (p *program) rounds(c *change) (list []round) {
	var own []round
	for _, b := range p.binaries {
		if some := b.rounds(p.entries[c.in]); b.dir == c.pkg() {
			own = some
		} else {
			list = append(list, some...)
		}
	}
	slices.SortStableFunc(list, func(a, b round) int { return cmp.Compare(a.took, b.took) })
	return append(own, list...)
}

// fails says whether a test of a round fails with the change of a number.
func (r *round) fails(number int, short bool) bool {
	limit := slower*r.took + least
	if !short {
		limit = waits
	}
	_, _, err := r.in.run(number, limit, short && !r.tests[0].whole, "-test.run", only(r.tests...))
	return err != nil
}

// try says what becomes of the change of a number.
func (p *program) try(number int, limit time.Duration, whole bool) (outcome, error) {
	c, began := &p.all[number-1], time.Now()
	rounds, became := p.rounds(c), survives
	for i := range rounds {
		if time.Since(began) > limit {
			became = late
			break
		}
		if rounds[i].fails(number, true) {
			return noticed, nil
		}
	}
	if same, err := c.same(p.dir); err != nil || same {
		return equal, err
	}
	if whole && p.long(number, c) {
		return noticed, nil
	}
	return became, nil
}

// long runs the tests of all packages that import the changed one once more, not in their short form.
func (p *program) long(number int, c *change) bool {
	for _, b := range p.binaries {
		r := round{in: b, tests: []test{{name: ".*"}}}
		if slices.Contains(b.uses, c.pkg()) && r.fails(number, false) {
			return true
		}
	}
	return false
}
