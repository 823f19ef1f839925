package mem

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"spvsim/internal/timing"
	"spvsim/isa"
	"spvsim/mem/hierarchy"
	"spvsim/mem/lane"
)

// What is here is for the host's speed: a unit that runs ahead of the engine on another thread has the values and lines of its loads
// at once, and the engine's thread asks the hierarchy for their time later, in the order of issue.
//
// Law: PrepareLoad, IssuePrepared and BookPrepared leave the same registers, lines, time and counts as Issue, where no instruction of the
// launch writes what the load reads (ReadOnlyLoads). Tests: TestPreparedLoadsAreLoads, TestLoadsThatAreNotPrepared, TestSteady.

// A PreparedLoad is a load that is executed and coalesced ahead of time: only its timing is missing.
type PreparedLoad struct {
	Lines  []hierarchy.Line
	Scalar bool
	busy   uint64
	missed []int32
}

// A Workspace is for preparing loads, one at a time.
type Workspace struct{ w *workspace }

func NewWorkspace() *Workspace { return &Workspace{newWorkspace()} }

// PreparesLoads reports whether loads of this port can be prepared: the hierarchy must know their time at once.
func (p *Port) PreparesLoads() bool {
	_, fast := p.h.(*hierarchy.Analytic)
	return fast && p.lanes.functional == nil
}

// PrepareLoad executes a load, from memory that does not change, and finds its lines. It reads nothing that other ports
// change. It returns false, with nothing done, if the load may be out of bounds, has no lines, or is of a kind that is
// not prepared.
func (p *Port) PrepareLoad(s *Workspace, st *isa.State, env *WaveBindings, in *isa.Inst, e *PreparedLoad) bool {
	m, t := in.Mem, lane.Element(in)
	own := *p
	own.lanes.w = s.w
	switch {
	case uniformLoad(m):
		return own.prepareUniformLoad(st, env, in, e)
	case staticBuffer(m, t) && !lane.AnyScalar(in) && st.Exec != 0:
		return own.prepareWordLoad(st, env, in, e)
	}
	return false
}

func (p *Port) prepareUniformLoad(st *isa.State, env *WaveBindings, in *isa.Inst, e *PreparedLoad) bool {
	p.beginAccess(in.Mem, hierarchy.Read)
	bytes, ok := p.lanes.loadUniform(st, env, in)
	if ok {
		p.keepPrepared(in.Mem, e, 1, bytes)
	}
	return ok
}

func (p *Port) prepareWordLoad(st *isa.State, env *WaveBindings, in *isa.Inst, e *PreparedLoad) bool {
	m := in.Mem
	w := p.beginAccess(m, hierarchy.Read)
	d, _ := env.descriptor(m, 0)
	each := lane.Element(in).Rows()
	size := 4 * uint32(int(m.Count)*each)
	_, how := w.computeAddresses(st, m, d, baseOffset(st, m), size)
	if how == mayFault {
		return false
	}
	w.loadWords(st, in, d, how, each)
	w.collect(d, how, st, size)
	p.keepPrepared(m, e, bits.OnesCount64(st.Exec), size)
	return true
}

// keepPrepared copies the lines of a load from the workspace.
func (p *Port) keepPrepared(m *isa.Mem, e *PreparedLoad, lanes int, bytes uint32) {
	e.Lines = append(e.Lines[:0], p.lanes.w.lines...)
	e.Scalar, e.busy = m.Scalar, p.path.sendCycles(p.lanes.w, m.Scalar, lanes, bytes)
}

// IssuePrepared issues a prepared load. Only then are its translations looked up: loads prepared before may issue after
// it.
func (p *Port) IssuePrepared(e *PreparedLoad) {
	cycles, missed := p.path.translationCycles(e.Lines, e.Scalar)
	e.busy += cycles
	e.missed = append(e.missed[:0], missed...)
}

// Busy returns the cycles that the load occupies the address path, if no MSHR stalls it.
func (e *PreparedLoad) Busy() uint64 { return e.busy }

// BookPrepared asks the hierarchy for the lines of a prepared load.
func (p *Port) BookPrepared(now uint64, e *PreparedLoad) *timing.Response {
	r := &p.lanes.w.request
	*r = hierarchy.Request{CU: p.cu, Kind: hierarchy.Read, Scalar: e.Scalar, Lines: e.Lines, Missed: e.missed, Busy: e.busy}
	return p.h.Access(now, r)
}

// MinLoadCycles returns the least cycles of a load: a hit in the first cache.
func (p *Port) MinLoadCycles(scalar bool) uint64 { return p.h.(*hierarchy.Analytic).HitLatency(scalar) }

// FreeMSHRs returns how many lines may miss in the unit's vector cache from cycle now on before one waits for an MSHR.
func (p *Port) FreeMSHRs(now uint64) int { return p.h.(*hierarchy.Analytic).FreeMSHRs(p.cu, now) }

// ReadOnlyLoads reports for each instruction of a program whether it loads from memory that none of them writes, under
// these bindings.
func (b *Bindings) ReadOnlyLoads(insts []isa.Inst) []bool {
	list := make([]bool, len(insts))
	written, all := b.written(insts)
	if all {
		return list
	}
	for i := range insts {
		in := &insts[i]
		list[i] = in.Op == isa.Load && in.Mem != nil && b.readOnlyLoad(in.Mem, written)
	}
	return list
}

func (b *Bindings) readOnlyLoad(m *isa.Mem, written []int) bool {
	switch {
	case m.Coherent || m.Payload:
		return false
	case m.Space == isa.SpacePush || m.Space == isa.SpaceTable:
		return true
	case m.Space != isa.SpaceBuffer || m.Dynamic || m.BindingIndex.Kind != isa.None:
		return false
	}
	for _, other := range written {
		if b.overlaps(m.Binding, other) {
			return false
		}
	}
	return true
}

// Written returns the bytes of the buffers that the instructions may change. all: they may change others too.
func (b *Bindings) Written(insts []isa.Inst) (list [][]byte, all bool) {
	bindings, all := b.written(insts)
	for _, i := range slices.Compact(slices.Sorted(slices.Values(bindings))) {
		for _, d := range b.elements(i) {
			list = append(list, d.Bytes)
		}
	}
	return list, all
}

// written returns the bindings of buffers that the instructions may change. all: they may change others too.
func (b *Bindings) written(insts []isa.Inst) (list []int, all bool) {
	for i := range insts {
		m := insts[i].Mem
		if m == nil || !insts[i].Op.Has(isa.FlagWrites) || m.Space == isa.SpaceLDS || m.Space == isa.SpaceScratch {
			continue
		}
		if m.Space != isa.SpaceBuffer || m.Dynamic {
			return nil, true
		}
		list = append(list, m.Binding)
	}
	return list, false
}

// A Range is an address and a number of bytes from it on.
type Range struct{ Addr, Bytes uint64 }

// WrittenRanges returns where the instructions may write, as long as what they access is of the buffers that they name: those that are bound, and
// those of the store that kernels' arguments point to. false: it is not known.
func (b *Bindings) WrittenRanges(insts []isa.Inst, s *Store) (list []Range, known bool) {
	for i := range insts {
		m := insts[i].Mem
		switch {
		case m == nil || !insts[i].Op.Has(isa.FlagWrites) || m.Space == isa.SpaceLDS || m.Space == isa.SpaceScratch:
		case m.Space == isa.SpaceBuffer && !m.Dynamic:
			for _, d := range b.elements(m.Binding) {
				list = append(list, Range{d.Addr, uint64(len(d.Bytes))})
			}
		case m.Space == isa.SpaceFlat && m.Argument > 0:
			buffer := s.Find(binary.LittleEndian.Uint64(b.Push[4*(m.Argument-1):]))
			if buffer == nil {
				return nil, false
			}
			list = append(list, Range{buffer.Addr, buffer.Size})
		default:
			return nil, false
		}
	}
	return list, true
}

// overlaps reports whether two bindings have a byte in common.
func (b *Bindings) overlaps(i, j int) bool {
	for _, x := range b.elements(i) {
		for _, y := range b.elements(j) {
			if x.Addr < y.Addr+uint64(len(y.Bytes)) && y.Addr < x.Addr+uint64(len(x.Bytes)) {
				return true
			}
		}
	}
	return false
}

func (b *Bindings) elements(binding int) []Descriptor {
	return b.Descriptors[b.First[binding]:][:b.Count[binding]]
}
