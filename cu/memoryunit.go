package cu

import (
	"spvsim/internal/timing"
	"spvsim/isa"
	"spvsim/mem"
	"spvsim/simd"
)

// A memoryUnit is the vector memory unit of a compute unit (and its way to the scalar cache): it knows the bindings of the wave
// in each slot, sends their accesses to a port of memory, and wakes the waves whose accesses complete later.
type memoryUnit struct {
	port     *mem.Port
	bindings []mem.WaveBindings // by wave slot of the unit
	first    int                // number of the unit's first wave slot in the machine
	pending  []pendingAccess
	unit     *ComputeUnit
}

// A pendingAccess waits for memory to report its completion.
type pendingAccess struct {
	token  uint64
	ticket simd.Ticket
}

// NewMemory makes the memory unit of a compute unit with the given wave slots, of
// which the first is number first in the machine.
func NewMemory(p *mem.Port, first, slots int) Memory {
	return &memoryUnit{port: p, bindings: make([]mem.WaveBindings, slots), first: first}
}

// attach connects pending completions with the unit.
func (m *memoryUnit) attach(u *ComputeUnit) {
	m.unit = u
	m.port.OnComplete(m.complete)
}

// BindSlot binds the resources of a launch for the wave that starts in the slot.
func (m *memoryUnit) BindSlot(slot int, l *KernelLaunch) {
	e := mem.WaveBindings{Bindings: l.Bindings, Footprint: l.Footprint, Traffic: l.Traffic}
	if l.Scratch != nil {
		e.Scratch = &l.Scratch[m.first+slot]
		e.Scratch.Ready(int(l.Code.Program.ScratchWords), l.Code.Program.WaveSize)
	}
	m.bindings[slot] = e
}

// Access executes an instruction on the bytes of memory.
func (m *memoryUnit) Access(now uint64, w *simd.Wave, in *isa.Inst, slot int) (r *timing.Response) {
	e := &m.bindings[slot]
	if f := e.Footprint; f != nil {
		m.port.AddFootprint(f, &w.State, e, in)
	}
	if e.Traffic != nil {
		r = m.port.IssueFor(e.Traffic, now, &w.State, e, in)
	} else {
		r = m.port.Issue(now, &w.State, e, in)
	}
	if r.Completion == timing.ByCallback {
		m.pending = append(m.pending, pendingAccess{r.Token, w.Ticket()})
	}
	return r
}

// complete wakes the wave that waits for a pending access, by a message to the compute unit.
func (m *memoryUnit) complete(token, done uint64) {
	for i := range m.pending {
		if p := m.pending[i]; p.token == token {
			m.pending = append(m.pending[:i], m.pending[i+1:]...)
			u := m.unit
			if t := u.units.trace.to; t != nil {
				t.AccessDone(done, u.index, token)
			}
			a := u.Answer(p.ticket)
			a.Done = done
			u.port.Post(a, u.port, max(done, u.Engine.NextSecondary()))
			return
		}
	}
}

// AccessMemory implements simd.ComputeUnit: it issues a load that was prepared ahead of the engine, and any other access now, for
// the lanes that may carry it out. An access that reaches no memory is done at once.
func (u *ComputeUnit) AccessMemory(now uint64, w *simd.Wave, in *isa.Inst) (r *timing.Response) {
	if !in.Mem.Payload || u.units.payloads == nil {
		return u.accessMemory(now, w, in)
	}
	denied, ok := u.units.payloads.CheckAccess(w, in)
	if !ok {
		u.response = timing.Response{ReadyAt: now, UnitFreeAt: now}
		return &u.response
	}
	exec := w.State.Exec
	w.State.Exec = exec &^ denied
	r = u.accessMemory(now, w, in)
	w.State.Exec = exec
	return r
}

// accessMemory is AccessMemory once the payloads allow it.
func (u *ComputeUnit) accessMemory(now uint64, w *simd.Wave, in *isa.Inst) (r *timing.Response) {
	if w.Workgroup.Check != nil {
		u.checkAccess(w, in)
	}
	if u.shared.LoadsAhead && in.Op == isa.Load {
		if r := u.runner.Load(now, u.slot(w), w); r != nil {
			return r
		}
	}
	exec, mask := w.State.Exec, w.State.WriteMask(in)
	if mask == 0 && exec != 0 { // a store of helper lanes alone
		u.response = timing.Response{ReadyAt: now, UnitFreeAt: now + 1, Busy: 1}
		return &u.response
	}
	w.State.Exec = mask
	if u.units.trace.to != nil {
		r = u.tracedAccess(now, w, in)
	} else {
		r = u.memory.Access(now, w, in, u.slot(w))
	}
	w.State.Exec = exec
	return r
}

func (u *ComputeUnit) checkAccess(w *simd.Wave, in *isa.Inst) {
	m, ok := u.memory.(*memoryUnit)
	pc, _ := w.CurrentInst()
	if g, st := w.Workgroup.Check, &w.State; ok && g.ChecksBuffer(pc, in) {
		exec := st.Exec
		st.Exec = st.WriteMask(in)
		t := m.port.Touched(st, &m.bindings[u.slot(w)], in)
		st.Exec = exec
		if t.Mask != 0 {
			g.AccessBuffer(st, pc, in, &t)
		}
	}
}

func (u *ComputeUnit) LoadAhead(w *simd.Wave, in *isa.Inst) bool {
	slot := u.slot(w)
	pc, _ := w.CurrentInst()
	return u.runner.MayLoad(slot, u.launches[slot].readOnlyLoads[pc], &w.State, &u.memory.(*memoryUnit).bindings[slot], in)
}
