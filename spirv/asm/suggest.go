package asm

import (
	"fmt"

	"spvsim/spirv/grammar"
)

// nearest holds the best of the names offered to it.
type nearest struct {
	wanted, best string
	distance     int
}

func newNearest(wanted string) *nearest {
	// Farther than a third of the name is no misspelling of it.
	return &nearest{wanted: wanted, distance: min(len(wanted)/3, 8) + 1}
}

func (n *nearest) offer(names ...string) {
	for _, name := range names {
		if d := distance(n.wanted, name, n.distance); d < n.distance {
			n.best, n.distance = name, d
		}
	}
}

func (n *nearest) String() string {
	if n.best == "" {
		return ""
	}
	return fmt.Sprintf("; the nearest is %s", n.best)
}

// distance is the number of letters to insert, drop or replace; it gives up
// at the limit.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

func nearestOp(name string) *nearest {
	n := newNearest(name)
	for i := range grammar.Ops {
		n.offer(grammar.Ops[i].Name)
		n.offer(grammar.Ops[i].Aliases...)
	}
	return n
}

func nearestEnumerant(k grammar.Kind, name string) *nearest {
	n := newNearest(name)
	for i := range grammar.Kinds[k].Enumerants {
		e := &grammar.Kinds[k].Enumerants[i]
		n.offer(e.Name)
		n.offer(e.Aliases...)
	}
	return n
}

func nearestExtInst(s *grammar.ExtSet, name string) *nearest {
	n := newNearest(name)
	for i := range s.Instructions {
		n.offer(s.Instructions[i].Name)
	}
	return n
}
