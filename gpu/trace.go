package gpu

import "spvsim/tracing/probe"

// Geometry returns the wave slots of the job's machine.
func (r *runner) geometry() *probe.Geometry {
	m := r.setup.Machine
	g := &probe.Geometry{Machine: m.Name, ClockMHz: m.ClockMHz, Engines: m.ShaderEngines, Units: m.ComputeUnits, SIMDs: m.SIMDs, Slots: m.WaveSlots}
	for _, l := range r.machine.Levels() {
		g.Levels = append(g.Levels, l.Name)
	}
	return g
}

// traceRound connects the tracer for the round that is counted, the last.
func (r *runner) traceRound(round int) {
	t := r.setup.Tracer
	if t == nil || round != r.total-1 {
		return
	}
	g := r.geometry()
	t.RunBegin(g)
	r.machine.Array.Trace(t, g.Levels)
	r.machine.CountParts()
	r.machine.Engine.Sample(0, r.timing.onSample)
}

// attach hands the engine and its components to Setup.Attach, which observes them during the run.
func (r *runner) attach() error {
	if r.setup.Attach == nil {
		return nil
	}
	return r.setup.Attach(r.machine.Engine, r.components())
}
