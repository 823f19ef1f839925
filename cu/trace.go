package cu

import (
	"spvsim/internal/timing"
	"spvsim/isa"
	"spvsim/simd"
	"spvsim/tracing/probe"
)

// trace reports the work of the compute units to a tracer.
type trace struct {
	to      probe.Tracer // nil: no display
	ordered bool         // it needs what units do in the order of time
	levels  []string     // of the memory hierarchy, nearest first

	access probe.Access
	group  probe.Workgroup
	lines  []probe.Line
}

// Trace reports to t from now on what the compute units do; nil: none. Levels name
// the memory hierarchy's levels, nearest first.
func (a *ComputeUnits) Trace(t probe.Tracer, levels []string) {
	a.trace = trace{to: t, ordered: probe.Ordered(t), levels: levels}
	for _, u := range a.Units {
		if p, ok := u.memory.(*memoryUnit); ok && t != nil {
			p.port.RecordLines()
		}
		for _, s := range u.SIMDs {
			s.Trace(t, u.index)
		}
	}
}

// Tracer receives what the compute units do; nil: none.
func (a *ComputeUnits) Tracer() probe.Tracer { return a.trace.to }

// reportWorkgroup reports a workgroup that is placed on a unit.
func (t *trace) reportWorkgroup(unit int, m *DispatchMsg) {
	wg := &m.Workgroup
	t.group = probe.Workgroup{At: m.SlotsTakenAt, Unit: unit, Index: m.index(), ID: wg.ID, Name: m.Launch.Code.Program.Name, Input: wg.Node.Input}
	t.to.WorkgroupBegin(&t.group)
}

// tracedAccess carries out an access to memory, and reports it.
func (u *ComputeUnit) tracedAccess(now uint64, w *simd.Wave, in *isa.Inst) *timing.Response {
	t := &u.units.trace
	p, _ := u.memory.(*memoryUnit)
	if p != nil {
		p.port.Request().Lines = nil // of the instruction before; this one may ask for none
	}
	r := u.memory.Access(now, w, in, u.slot(w))
	pc, _ := w.CurrentInst()
	a := &t.access // field by field: the whole would be built elsewhere and copied
	a.WaveSlotID, a.PC, a.Op, a.At, a.Ready, a.ID = w.SlotID(), pc, isa.Table[in.Op].Name, now, r.ReadyAt, 0
	a.Lines, a.Kind, a.Level, a.Passes, a.Conflicts = nil, "", "", 0, 0
	if p != nil {
		t.describe(p, r)
	}
	t.to.Memory(&t.access)
	return r
}

// describe adds the lines of a port's last access to the report, and the farthest level that it reached.
func (t *trace) describe(p *memoryUnit, r *timing.Response) {
	if r.Completion == timing.ByCallback {
		t.access.Ready, t.access.ID = probe.Unknown, r.Token
	}
	t.lines = t.lines[:0]
	farthest := int8(-1)
	request := p.port.Request()
	levels, sectors := p.port.RecordedLines()
	for i := range request.Lines {
		l, level := &request.Lines[i], ""
		if i < len(levels) && levels[i] >= 0 {
			level, farthest = t.levels[levels[i]], max(farthest, levels[i])
		}
		t.lines = append(t.lines, probe.Line{Addr: l.Addr, Bytes: l.Bytes, Sectors: uint16(sectors[i].Count()), Level: level})
	}
	if t.access.Lines = t.lines; len(t.lines) > 0 {
		t.access.Kind = request.Kind.String()
	}
	if farthest >= 0 {
		t.access.Level = t.levels[farthest]
	}
}

// traceLDS reports an access to the LDS.
func (u *ComputeUnit) traceLDS(now uint64, w *simd.Wave, in *isa.Inst, r *timing.Response) {
	t := &u.units.trace
	pc, _ := w.CurrentInst()
	t.access = probe.Access{WaveSlotID: w.SlotID(), PC: pc, Op: isa.Table[in.Op].Name, At: now, Ready: r.ReadyAt, Passes: r.Passes, Conflicts: r.ConflictPasses}
	t.to.LDS(&t.access)
}
