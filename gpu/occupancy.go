package gpu

import (
	"fmt"
	"strings"

	"spvsim/config"
	"spvsim/cu"
	"spvsim/program"
)

// An Occupancy is how many workgroups of a program a compute unit holds at once, and what lets no more in.
type Occupancy struct {
	Groups int        // of a compute unit
	Waves  int        // of them
	Slots  int        // for waves, of a compute unit
	Bounds []cu.Bound // by resource, the tightest first
}

// OccupancyOf works the occupancy of a lowered program on a machine out; an error says that a workgroup does not fit.
func OccupancyOf(p *program.Program, m *config.Machine) (Occupancy, error) {
	limits := m.Limits()
	n, err := cu.NewNeed(p, limits)
	if err != nil {
		return Occupancy{}, err
	}
	bounds := n.Bounds(limits)
	return Occupancy{Groups: bounds[0].Groups, Waves: bounds[0].Groups * n.Waves, Slots: m.UnitSlots(), Bounds: bounds}, nil
}

// String says the occupancy in one line, with its limiter and what the other resources would let in.
func (o Occupancy) String() string {
	text := fmt.Sprintf("%d of %d waves of a compute unit (%.0f%%), %s, limited by %s", o.Waves, o.Slots, 100*float64(o.Waves)/float64(o.Slots),
		plural(o.Groups, "workgroup", "workgroups"), o.Bounds[0].Resource)
	var others []string
	for _, b := range o.Bounds[1:] {
		others = append(others, fmt.Sprintf("%s %d", b.Resource, b.Groups))
	}
	return text + "; workgroups by " + strings.Join(others, ", ")
}
