package gpu

import (
	"spvsim/config"
	"spvsim/cu"
	"spvsim/program"
	"spvsim/tracing"
)

// OccupancyOf computes the occupancy of a lowered program on a machine. It returns an error if a workgroup does not fit.
func OccupancyOf(p *program.Program, m *config.Machine) (tracing.Occupancy, error) {
	limits := m.Limits()
	n, err := cu.NewResources(p, limits)
	if err != nil {
		return tracing.Occupancy{}, err
	}
	o := tracing.Occupancy{Slots: m.UnitSlots()}
	for _, b := range n.OccupancyLimits(limits) {
		o.Bounds = append(o.Bounds, tracing.Bound{Resource: b.Resource, Groups: b.Groups})
	}
	o.Groups = o.Bounds[0].Groups
	o.Waves = o.Groups * n.Waves
	return o, nil
}

// listed returns the listing of a program, with its counts and its occupancy.
func listed(l *lowered, m *config.Machine) tracing.Listing {
	list := tracing.Listing{Program: l.code.Program, Counts: l.code.Counts, Launch: l.from}
	if o, err := OccupancyOf(l.code.Program, m); err == nil {
		list.Occupancy = &o
	}
	return list
}
