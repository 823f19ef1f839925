package tracing

import (
	"fmt"
	"strings"

	"spvsim/internal/lists"
)

// An Occupancy is the number of workgroups of a program that a compute unit can hold, with the bounds of its resources.
type Occupancy struct {
	Groups int     `json:"workgroups"` // of a compute unit
	Waves  int     `json:"waves"`      // of them
	Slots  int     `json:"wave_slots"` // of a compute unit
	Bounds []Bound `json:"bounds"`     // by resource, the tightest first
}

// A Bound is the number of workgroups that a resource of a compute unit can hold.
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

// String describes the occupancy in one line, with its limiter and the bounds of the other resources.
func (o Occupancy) String() string {
	text := fmt.Sprintf("%d of %d waves of a compute unit (%.0f%%), %s, limited by %s", o.Waves, o.Slots, 100*float64(o.Waves)/float64(o.Slots),
		Plural(uint64(o.Groups), "workgroup", "workgroups"), o.Limiter())
	others := lists.Map(o.Bounds[1:], func(b Bound) string { return fmt.Sprintf("%s %d", b.Resource, b.Groups) })
	return text + "; workgroups by " + strings.Join(others, ", ")
}
