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

// report prints the counts. It is an error that less than a share, in percent, was noticed.
func (t *tally) report(least float64) error {
	seen, total := 0, 0
	for _, pkg := range slices.Sorted(maps.Keys(t.total)) {
		fmt.Printf("%s: %d of %d noticed\n", pkg, t.noticed[pkg], t.total[pkg])
		seen, total = seen+t.noticed[pkg], total+t.total[pkg]
	}
	share := 100 * float64(seen) / float64(max(total, 1))
	fmt.Printf("%d of %d noticed, %.1f %%\n", seen, total, share)
	if total > 0 && share < least {
		return fmt.Errorf("%.1f %% of the changes were noticed: want at least %g", share, least)
	}
	return nil
}
