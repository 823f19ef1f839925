package gpu

import (
	"spvsim/probe"
)

// Geometry says which wave slots the job's machine has.
func (r *runner) geometry() *probe.Geometry {
	m := r.setup.Machine
	g := &probe.Geometry{Machine: m.Name, ClockMHz: m.ClockMHz, Engines: m.ShaderEngines, Units: m.ComputeUnits, SIMDs: m.SIMDs, Slots: m.WaveSlots}
	for _, l := range r.machine.levels() {
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
	t.Begin(g)
	r.machine.array.Trace(t, g.Levels)
	r.machine.engine.Sample(0, r.sample)
}

// traceLaunch tells the tracer, if it listens by now, that a launch begins.
func (r *runner) traceLaunch(step string) {
	if t := r.machine.array.Tracer(); t != nil {
		t.LaunchBegin(&probe.Launch{Step: step, At: r.now})
	}
}

// traceEnd tells the tracer that a launch has ended.
func (r *runner) traceEnd(end uint64) {
	if t := r.machine.array.Tracer(); t != nil {
		r.sample(end)
		t.LaunchEnd(end)
	}
}

// sample hands the state of the machine to the tracer.
func (r *runner) sample(now uint64) (next uint64) {
	s := probe.Sample{At: now, Levels: r.machine.levels()}
	for _, u := range r.machine.array.Units {
		s.Workgroups += u.Resident()
		for _, lanes := range u.SIMDs {
			s.Waves += lanes.Resident()
		}
	}
	if r.graph != nil {
		s.Queue = r.graph.run.Queued()
	}
	return r.setup.Tracer.Sample(&s)
}

// attach shows the engine and its parts to who wants to look at them while they work.
func (r *runner) attach() error {
	if r.setup.Attach == nil {
		return nil
	}
	return r.setup.Attach(r.machine.engine, r.components())
}
