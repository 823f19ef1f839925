package asm

import (
	"fmt"

	"github.com/agnivade/levenshtein"

	"spvsim/spirv/grammar"
)

// nearest holds the best of the names offered to it.
type nearest struct {
	target, best string
	distance     int
}

func newNearest(wanted string) *nearest {
	// Farther than a third of the name is no misspelling of it.
	return &nearest{target: wanted, distance: min(len(wanted)/3, 8) + 1}
}

func (n *nearest) consider(names ...string) {
	for _, name := range names {
		if len(name)-len(n.target) >= n.distance || len(n.target)-len(name) >= n.distance {
			continue
		}
		if d := levenshtein.ComputeDistance(n.target, name); d < n.distance {
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

func nearestOp(name string) *nearest {
	n := newNearest(name)
	for i := range grammar.Ops {
		n.consider(grammar.Ops[i].Name)
		n.consider(grammar.Ops[i].Aliases...)
	}
	return n
}

func nearestEnumerant(k grammar.Kind, name string) *nearest {
	n := newNearest(name)
	for i := range grammar.Kinds[k].Enumerants {
		e := &grammar.Kinds[k].Enumerants[i]
		n.consider(e.Name)
		n.consider(e.Aliases...)
	}
	return n
}

func nearestExtInst(s *grammar.ExtSet, name string) *nearest {
	n := newNearest(name)
	for i := range s.Instructions {
		n.consider(s.Instructions[i].Name)
	}
	return n
}
