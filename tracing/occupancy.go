package tracing

import (
	"fmt"
	"strings"
)

// An Occupancy is how many workgroups of a program a compute unit holds at once, and what lets no more in.
type Occupancy struct {
	Groups int     `json:"workgroups"` // of a compute unit
	Waves  int     `json:"waves"`      // of them
	Slots  int     `json:"wave_slots"` // of a compute unit
	Bounds []Bound `json:"bounds"`     // by resource, the tightest first
}

// A Bound is how many workgroups a resource of a compute unit has space for.
type Bound struct {
	Resource string `json:"resource"`
	Groups   int    `json:"workgroups"`
}

// Limiter is the resource that lets no more in.
func (o *Occupancy) Limiter() string {
	if len(o.Bounds) == 0 {
		return ""
	}
	return o.Bounds[0].Resource
}

// String says the occupancy in one line, with its limiter and what the other resources would let in.
func (o Occupancy) String() string {
	text := fmt.Sprintf("%d of %d waves of a compute unit (%.0f%%), %s, limited by %s", o.Waves, o.Slots, 100*float64(o.Waves)/float64(o.Slots),
		plural(uint64(o.Groups), "workgroup", "workgroups"), o.Limiter())
	var others []string
	for _, b := range o.Bounds[1:] {
		others = append(others, fmt.Sprintf("%s %d", b.Resource, b.Groups))
	}
	return text + "; workgroups by " + strings.Join(others, ", ")
}
