package main

import (
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"strconv"
	"strings"
)

// A choice among all changes.
type choice struct {
	n     int // for each seed; 0: all
	seeds seeds
	at    string // part of a change's line; empty: any
}

// seeds are one or several: what they draw is built and measured together.
type seeds []int64

func (s *seeds) String() string { return strings.Trim(fmt.Sprint([]int64(*s)), "[]") }

var errSeed = errors.New("want whole numbers with commas between")

// Set fulfils flag.Value.
func (s *seeds) Set(text string) error {
	*s = nil
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return errSeed
		}
		*s = append(*s, n)
	}
	return nil
}

// A draw is numbers of changes: those to make, and those that follow where one of them doesn't compile.
type draw struct {
	name      string
	now, next []int
}

// draws chooses among changes, whose numbers begin at 1, once for each seed: each change is as likely as any other.
func (c *choice) draws(all []change) (list []*draw) {
	var numbers []int
	for i := range all {
		if c.at == "" || strings.Contains(all[i].String(), c.at) {
			numbers = append(numbers, i+1)
		}
	}
	if c.at != "" || c.n == 0 || c.n >= len(numbers) {
		return []*draw{{name: "all", now: numbers}}
	}
	for _, seed := range c.seeds {
		order := slices.Clone(numbers)
		rand.New(rand.NewSource(seed)).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		list = append(list, &draw{fmt.Sprintf("seed %d", seed), order[:c.n:c.n], order[c.n:]})
	}
	return list
}

// drawn are the numbers to make of all draws, ascending.
func drawn(list []*draw) (numbers []int) {
	for _, d := range list {
		numbers = append(numbers, d.now...)
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// without puts others in the place of changes that don't compile, while there are some.
func (d *draw) without(bad map[int]bool) {
	kept := slices.DeleteFunc(slices.Clone(d.now), func(n int) bool { return bad[n] })
	next := slices.DeleteFunc(slices.Clone(d.next), func(n int) bool { return bad[n] })
	more := min(len(d.now)-len(kept), len(next))
	d.now, d.next = append(kept, next[:more]...), next[more:]
}
