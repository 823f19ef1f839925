package graph

import "spvsim/cu"

// A spread says how many queues a machine has.
type spread uint8

const (
	central spread = iota
	byEngine
	byUnit
)

// spreads by the words of queue.placement.
var spreads = map[string]spread{"central": central, "engine": byEngine, "unit": byUnit}

// A layout says which queue each compute unit uses.
type layout struct {
	spread         spread
	engines, units int // shader engines, and compute units of each
}

// newLayout is that of a machine; nil: of one without compute units, with a central queue.
func newLayout(s spread, limits *cu.Limits) layout {
	if limits == nil {
		return layout{units: 1}
	}
	return layout{s, limits.ShaderEngines, limits.ComputeUnits}
}

// queueOf is the queue that a compute unit uses.
func (l layout) queueOf(unit int) int {
	switch l.spread {
	case byEngine:
		return l.engineOf(unit)
	case byUnit:
		return unit
	}
	return 0
}

// numQueues is how many queues the machine has.
func (l layout) numQueues() int {
	switch l.spread {
	case byEngine:
		return l.engines
	case byUnit:
		return l.engines * l.units
	}
	return 1
}

// firstUnit is the compute unit through whose path a queue's own accesses go.
func (l layout) firstUnit(q int) int {
	if l.spread == byEngine {
		return q * l.units
	}
	return q
}

func (l layout) engineOf(unit int) int { return unit / l.units }
