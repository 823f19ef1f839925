package graph

import "spvsim/cu"

// A spread is where queues are: one for the machine, or one for each shader engine or compute unit.
type spread uint8

const (
	central spread = iota
	byEngine
	byUnit
)

// spreads by the words of queue.placement.
var spreads = map[string]spread{"central": central, "engine": byEngine, "unit": byUnit}

// A layout maps compute units to queues.
type layout struct {
	spread         spread
	engines, units int // shader engines; compute units of each
}

// newLayout returns the layout of a machine. Without limits (in a functional run) there is one queue.
func newLayout(s spread, limits *cu.Limits) layout {
	if limits == nil {
		return layout{units: 1}
	}
	return layout{s, limits.ShaderEngines, limits.ComputeUnits}
}

func (l layout) queueOf(unit int) int {
	switch l.spread {
	case byEngine:
		return l.engineOf(unit)
	case byUnit:
		return unit
	}
	return 0
}

func (l layout) numQueues() int {
	switch l.spread {
	case byEngine:
		return l.engines
	case byUnit:
		return l.engines * l.units
	}
	return 1
}

// firstUnit returns the compute unit through whose path a queue accesses memory.
func (l layout) firstUnit(q int) int {
	if l.spread == byEngine {
		return q * l.units
	}
	return q
}

func (l layout) engineOf(unit int) int { return unit / l.units }
