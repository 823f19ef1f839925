package main

import (
	"fmt"
	"maps"
	"slices"
)

// An outcome is what became of a change.
type outcome string

const (
	noticed  outcome = "noticed"
	survives outcome = "survives"
	late     outcome = "survives what ran within the limit"
	equal    outcome = "makes the same program"
)

// A tally counts outcomes by package; what makes the same program is no change.
type tally struct{ noticed, total map[string]int }

func newTally() *tally { return &tally{map[string]int{}, map[string]int{}} }

func (t *tally) count(pkg string, o outcome) {
	if o == equal {
		return
	}
	t.total[pkg]++
	if o == noticed {
		t.noticed[pkg]++
	}
}

// sums are how many were noticed in all packages, and how many there are.
func (t *tally) sums() (seen, total int) {
	for pkg, n := range t.total {
		seen, total = seen+t.noticed[pkg], total+n
	}
	return seen, total
}

// share is what was noticed in percent.
func (t *tally) share() float64 {
	seen, total := t.sums()
	return 100 * float64(seen) / float64(max(total, 1))
}

func (t *tally) String() string {
	seen, total := t.sums()
	return fmt.Sprintf("%d of %d noticed, %.1f %%", seen, total, t.share())
}

// byPackage prints the counts of each.
func (t *tally) byPackage() {
	for _, pkg := range slices.Sorted(maps.Keys(t.total)) {
		fmt.Printf("%s: %d of %d noticed\n", pkg, t.noticed[pkg], t.total[pkg])
	}
}

// enough is an error where less than a share, in percent, was noticed.
func (t *tally) enough(least float64) error {
	if _, total := t.sums(); total > 0 && t.share() < least {
		return fmt.Errorf("%s: want at least %g %%", t, least)
	}
	return nil
}
