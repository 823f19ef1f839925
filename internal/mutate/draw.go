package main

import (
	"math/rand"
	"strings"
)

// A choice among all changes.
type choice struct {
	n    int // 0: all
	seed int64
	at   string // part of a change's line; empty: any
}

// A draw is numbers of changes: those to make, and those that follow where one of them doesn't compile.
type draw struct{ now, next []int }

// draw chooses among changes, whose numbers begin at 1: each is as likely as any other.
func (c *choice) draw(all []change) draw {
	var numbers []int
	for i := range all {
		if c.at == "" || strings.Contains(all[i].String(), c.at) {
			numbers = append(numbers, i+1)
		}
	}
	if c.at != "" || c.n == 0 || c.n >= len(numbers) {
		return draw{now: numbers}
	}
	rand.New(rand.NewSource(c.seed)).Shuffle(len(numbers), func(i, j int) { numbers[i], numbers[j] = numbers[j], numbers[i] })
	return draw{numbers[:c.n:c.n], numbers[c.n:]}
}

// without puts others in the place of changes that don't compile, while there are some.
func (d *draw) without(bad map[int]bool) {
	var kept []int
	for _, n := range d.now {
		if !bad[n] {
			kept = append(kept, n)
		}
	}
	more := min(len(d.now)-len(kept), len(d.next))
	d.now, d.next = append(kept, d.next[:more]...), d.next[more:]
}
