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

	"spvsim/internal/suite"
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
	waits    = 10 * time.Minute                                 // for one of the long form
	idle     = 30 * time.Second                                 // beside four times its limit, for one that does not end and does nothing: others may use the host as well
	maxKiB   = "8388608"                                        // of address space: a change may ask for memory without end
	shellRun = `ulimit -v %s && ulimit -t %d && exec "$0" "$@"` // one limit a command: not every shell takes two
)

// measureAll runs each test for itself without any change, when it has to pass: how
// long it takes, and which functions it enters. One that minds the overlay, as what asks
// for the packages' imports does, is left out.
func (b *binary) measureAll() error {
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
	ctx, cancel := context.WithTimeout(context.Background(), min(waits, idle+4*limit))
	defer cancel()
	addresses := maxKiB
	if together[b.dir] {
		addresses = "unlimited"
	}
	words := append([]string{"-c", fmt.Sprintf(shellRun, addresses, int(limit/time.Second)), b.path, "-test.failfast", fmt.Sprintf("-test.short=%t", short)}, args...)
	cmd := exec.CommandContext(ctx, "sh", words...)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", variable, number), suite.AllLines+"=1", entered+"="+filepath.Join(filepath.Dir(b.path), "entered"),
		"GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+b.overlay)) // for tests that build something
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	return cmd, out.Bytes(), err
}

// A round is tests of one package that run in one process.
type round struct {
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
			list = append(list, round{})
			last++
		}
		list[last].tests, list[last].took = append(list[last].tests, t), list[last].took+t.took
	}
	return list
}

// fails says whether a test of a round fails with the change of a number.
func (b *binary) fails(r *round, number int, short bool) bool {
	limit := slower*r.took + least
	if !short {
		limit = waits
	}
	_, _, err := b.run(number, limit, short && !r.tests[0].whole, "-test.run", only(r.tests...))
	return err != nil
}

// notices says whether the tests of a binary notice the change of a number, and how long they took.
func (p *program) notices(b *binary, number int, limit time.Duration) (o outcome, took time.Duration) {
	began := time.Now()
	rounds := b.rounds(p.entries[p.all[number-1].in])
	for i := range rounds {
		if time.Since(began) > limit {
			return late, limit
		}
		if b.fails(&rounds[i], number, true) {
			return noticed, time.Since(began)
		}
	}
	return survives, time.Since(began)
}

// try says what becomes of each change. Binaries take turns, as what one of them notices the next need not see: a binary is made and
// measured when some change that its package uses is left.
func (p *program) try(limit time.Duration, whole, say bool) (map[int]outcome, error) {
	became, took := map[int]outcome{}, map[int]time.Duration{}
	for _, n := range p.numbers {
		became[n] = survives
	}
	for _, b := range p.binaries {
		left := p.left(b, became)
		if len(left) == 0 {
			continue
		}
		if err := cmp.Or(b.link(), b.measureAll()); err != nil {
			return nil, err
		}
		seen := 0
		for _, n := range left {
			o, t := p.notices(b, n, limit-took[n])
			if became[n], took[n] = o, took[n]+t; o == noticed {
				seen++
			} else if say && p.all[n-1].pkg() == b.dir {
				fmt.Printf("   left: %s\n", &p.all[n-1])
			}
		}
		fmt.Printf("   tests of %s notice %d of %d\n", b.dir, seen, len(left))
	}
	for _, n := range p.numbers {
		if became[n] == noticed {
			continue
		}
		c := &p.all[n-1]
		if same, err := c.same(p.dir); err != nil {
			return nil, err
		} else if same {
			became[n] = equal
		} else if whole && p.long(n, c) {
			became[n] = noticed
		}
	}
	return became, nil
}

// left are the changes that no test has noticed yet, of packages that a binary uses.
func (p *program) left(b *binary, became map[int]outcome) (list []int) {
	for _, n := range p.numbers {
		if became[n] == survives && slices.Contains(b.uses, p.all[n-1].pkg()) {
			list = append(list, n)
		}
	}
	return list
}

// long runs the tests of all packages that import the changed one once more, not in their short form.
func (p *program) long(number int, c *change) bool {
	for _, b := range p.binaries {
		if slices.Contains(b.uses, c.pkg()) && b.fails(&round{tests: []test{{name: ".*"}}}, number, false) {
			return true
		}
	}
	return false
}
