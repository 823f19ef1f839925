// Package simd models a SIMD of a compute unit: its wave slots, scoreboard and
// issue ports. A wave's instruction issues when it is the wave's next one, its
// registers are ready and its unit is free; its values are computed at that
// moment.
//
// The model itself, without anything for the host's speed, is in
// reference_test.go: a SIMD in 400 plain lines, which the package equals event
// by event and count by count (TestSIMDMatchesReference). What is there for the
// host's speed only is in the files host_*.go; each states the law by which it
// changes no result, and its test.
//
// How long an access takes, the SIMD learns from its compute unit (ComputeUnit),
// in one response (timing.Response). It has no events: the compute unit calls it
// in the cycles that it asked for.
package simd

import (
	"slices"

	"spvsim/account"
	"spvsim/internal/spec"
	"spvsim/internal/timing"
	"spvsim/isa"
)

// A Ticket names a pending access of a wave.
type Ticket struct {
	w          *Wave
	o          *op
	returnSlot int32 // its entry among the vector memory accesses in flight, or -1
	blocksWave bool
}

// BlocksWave returns the ticket of an access before whose completion the wave issues nothing.
func (t Ticket) BlocksWave() Ticket {
	t.blocksWave = true
	return t
}

// Latency returns the latency of the access's class, which is added to the cycle of its completion.
func (t Ticket) Latency() uint64 { return uint64(t.o.latency) }

// Occupy keeps the access's unit from the instructions of all SIMDs until a cycle.
func (t Ticket) Occupy(until uint64) { t.w.SIMD.shared.occupy(t.o.unit, until) }

// ComputeUnit is the compute unit as its SIMDs see it.
type ComputeUnit interface {
	// AccessMemory, AccessLDS and AccessPayloads carry out an access of the wave's active lanes that issues in cycle now.
	// The response is valid until the unit's next access. An access to payloads blocks the wave until UnitFreeAt.
	AccessMemory(now uint64, w *Wave, in *isa.Inst) *timing.Response
	AccessLDS(now uint64, w *Wave, in *isa.Inst) *timing.Response
	AccessPayloads(now uint64, w *Wave, in *isa.Inst) timing.Response
	// ArriveAtBarrier counts a wave that waits at its workgroup's barrier. Once all have arrived, the unit calls Release for each.
	ArriveAtBarrier(now uint64, w *Wave)
	// WaveEnded frees the wave's slot.
	WaveEnded(now uint64, w *Wave)
	// Print shows a DebugPrint.
	Print(now uint64, w *Wave, in *isa.Inst)
	// LoadAhead reports whether the wave's next load may issue ahead of the engine: nothing else observes its issue cycle,
	// nor that of the loads queried before it in this cycle. If true, the load may already have written its registers.
	LoadAhead(w *Wave, in *isa.Inst) bool
	// Fetch returns the delay of entering a line of the instruction cache.
	Fetch(now uint64, line uint32) uint64
}

// Shared is the state that the SIMDs of a compute unit share, close together in the host's memory.
type Shared struct {
	nextVisible  []uint64 // by SIMD
	simds        []*SIMD
	backpressure memoryBackpressure
	pending      int // accesses whose completion comes by callback, without those to the LDS
	sharingWaves int // resident waves whose accesses use units that are otherwise private to a SIMD: they take those of all SIMDs
	// Copy is the copy of the programs' counts in which they count.
	Copy int
	// LoadsAhead: the scope of a load is the unit where ComputeUnit.LoadAhead allows it.
	LoadsAhead bool
	// Recent is what they issued of late; nil: it is not asked for.
	Recent *Recent
	tmp    [4][]uint32 // rows for the operations of whichever wave issues
}

// unitFreeAt holds for each unit the cycle from which it accepts an instruction of the SIMD's waves. Shared units are in the table of each SIMD.
type unitFreeAt [unitTable]uint64

// freeAt returns the cycle from which a unit accepts an instruction.
func (f *unitFreeAt) freeAt(u unit) uint64 { return f[u%unitTable] }

// issueAt returns the cycle from which a wave may issue: it is ready, and its unit is free.
func (f *unitFreeAt) issueAt(w *Wave) uint64 { return max(w.ready, f.freeAt(w.unit())) }

// occupy keeps a unit occupied until a cycle.
func (f *unitFreeAt) occupy(u unit, until uint64) {
	free := &f[u%unitTable]
	*free = max(*free, until)
}

// occupy keeps a unit occupied until a cycle, for the waves of all SIMDs.
func (s *Shared) occupy(u unit, until uint64) {
	for _, simd := range s.simds {
		simd.unitFreeAt.occupy(u, until)
	}
}

// memoryBackpressure adds up the cycles in which a full memory queue blocked the address path. A wave that waits for the path in
// these cycles is charged to the queue.
type memoryBackpressure struct {
	stallSum     uint64 // cycles so far
	lastStall    uint64 // cycles of the last stall, part of the sum
	lastStallEnd uint64 // the cycle after it
	reason       account.Reason
}

// add adds a stall of so many cycles that ends before cycle until.
func (f *memoryBackpressure) add(cycles, until uint64, why account.Reason) {
	if cycles > 0 {
		*f = memoryBackpressure{f.stallSum + cycles, cycles, until, why}
	}
}

// cyclesBefore returns how many of the blocked cycles lie before cycle ready. Of a stall of cycles 10 to 19, two lie after a wave that is
// ready in cycle 18.
func (f *memoryBackpressure) cyclesBefore(ready uint64) uint64 {
	return f.stallSum - min(f.lastStall, f.lastStallEnd-min(f.lastStallEnd, ready))
}

// cyclesSince returns how many of the waited cycles were blocked, given the sum when the wait began.
func (f *memoryBackpressure) cyclesSince(sum, waited uint64) uint64 {
	return min(f.stallSum-sum, waited)
}

// NewShared makes the state of so many SIMDs, for waves of up to lanes lanes.
func NewShared(simds, lanes int) *Shared {
	s := &Shared{nextVisible: slices.Repeat([]uint64{Never}, simds)}
	for i := range s.tmp {
		s.tmp[i] = make([]uint32, 2*lanes)
	}
	return s
}

// A SIMD issues the instructions of the waves in its slots.
type SIMD struct {
	component
	Cycles account.SlotCycles // of all its slots so far
	Index  int                // in its compute unit
	trace  trace

	cu     ComputeUnit
	pool   *RegisterPool
	shared *Shared
	fixed
	slots       []Wave   // nil before the first: many SIMDs never have one
	emptySince  []uint64 // by slot: the cycle since which it is empty, or occupiedSlot
	resident    int
	last        int    // slot that issued last
	slowIssue   bool   // an issue also occupies the port of all units, or reports to a tracer
	portFree    uint64 // cycle from which the port of all units is free; not used where each category has a port
	unitFreeAt  unitFreeAt
	list        []Candidate // of an issue cycle
	nextIssue   uint64      // the next cycle in which a wave may issue
	nextVisible *uint64     // the next cycle in which a wave may issue something visible; in Shared.nextVisible
	endedInTurn bool

	waveOrder
}

// occupiedSlot marks a slot that holds a wave.
const occupiedSlot = ^uint64(0)

// fixed holds the parameters of a SIMD, which no run changes.
type fixed struct {
	policy        Policy // nil: the oldest
	issueInterval uint64
	aligned       bool // the cadence is a power of two
	phase         uint64
	width         int
	category      uint64 // 1: each category has its port, and an issue cycle issues one instruction for each unit at most; else 0
	clockMask     uint64
	clockMHz      uint64
	outstanding   int // most vector memory accesses of a wave in flight
}

// maxSlots is the most slots of a SIMD (spec.Shape).
const maxSlots = 64

// SIMDParams place a SIMD in its compute unit.
type SIMDParams struct {
	Name        string
	Index       int // the phase of its turns
	ComputeUnit ComputeUnit
	Pool        *RegisterPool
	Shared      *Shared
	// MaxOutstanding is the most vector memory instructions of one wave in flight.
	MaxOutstanding int
}

// New builds a SIMD of a checked spec with empty slots.
func New(issue *IssueSpec, shape *spec.Shape, at SIMDParams) *SIMD {
	s := &SIMD{
		component: newComponent(at.Name), Index: at.Index,
		cu: at.ComputeUnit, pool: at.Pool, shared: at.Shared,
		fixed: fixed{issueInterval: uint64(issue.Cadence), width: issue.Width,
			clockMask: clockMask(shape.ClockBits), clockMHz: uint64(shape.ClockMHz), outstanding: at.MaxOutstanding},
		emptySince: make([]uint64, shape.WaveSlots), last: -1, nextIssue: Never, nextVisible: &at.Shared.nextVisible[at.Index],
		list:      make([]Candidate, 0, shape.WaveSlots),
		waveOrder: waveOrder{readyLater: noPlan, readyWindow: defaultReadyWindow},
	}
	s.shared.simds = append(s.shared.simds, s)
	s.phase, s.aligned = uint64(at.Index)%s.issueInterval, s.issueInterval&(s.issueInterval-1) == 0
	if issue.PerCategory {
		s.category = 1
	}
	s.slowIssue = s.category == 0
	if issue.Policy != oldest {
		s.policy = Policies[issue.Policy]
	}
	return s
}

func clockMask(bits int) uint64 {
	if bits <= 0 {
		return ^uint64(0)
	}
	return 1<<bits - 1
}

// Resident returns the number of resident waves.
func (s *SIMD) Resident() int { return s.resident }

// Slots returns the number of wave slots.
func (s *SIMD) Slots() int { return len(s.emptySince) }

// Waves returns the resident waves, oldest first.
func (s *SIMD) Waves() []*Wave { return s.order[:s.waves] }

// NextVisible returns the cycle by which Issue has to be called; Never if there is none.
func (s *SIMD) NextVisible() uint64 { return *s.nextVisible }

// Reset starts an accounting period at cycle now.
func (s *SIMD) Reset(now uint64) {
	s.Cycles = account.SlotCycles{}
	for i, since := range s.emptySince {
		if since != occupiedSlot {
			s.emptySince[i] = now
		}
	}
}

// ChargeEmpty charges the empty slots up to cycle end to a reason.
func (s *SIMD) ChargeEmpty(end uint64, why account.Reason) {
	for i, since := range s.emptySince {
		if since < end {
			s.Cycles[why] += end - since
			s.emptySince[i] = end
		}
	}
}

// Start puts a wave into a free slot; there must be one. The slot is taken from cycle st.SlotTakenAt on. Cycle now must not have been issued yet.
func (s *SIMD) Start(now uint64, st *Start) *Wave {
	s.CatchUp(now)
	w := s.freeSlot()
	since := s.emptySince[w.Slot]
	from := max(st.SlotTakenAt, since) // the last wave's End may still be issuing
	s.Cycles[account.Empty] += from - since
	s.emptySince[w.Slot] = occupiedSlot
	w.load(st, s)
	w.freeAt, w.stallReason = from, account.Dispatch
	s.order[s.waves] = w
	s.waves++
	s.resident++
	if st.Code.sharesPrivateUnits {
		s.shared.addSharingWave()
	}
	if s.trace.to != nil {
		s.trace.started(w, from)
	}
	s.advance(w, w.op, now, max(st.FirstIssueAt, from, now), account.Dispatch)
	s.wake(w)
	return w
}

// freeSlot finds the slot that has been empty for longest.
func (s *SIMD) freeSlot() *Wave {
	first := 0
	for i, since := range s.emptySince {
		if since < s.emptySince[first] {
			first = i
		}
	}
	if s.emptySince[first] == occupiedSlot {
		panic("simd: a wave was placed where no slot is free")
	}
	if s.slots == nil {
		s.slots = newSlots(s)
	}
	return &s.slots[first]
}

func newSlots(s *SIMD) []Wave {
	slots := make([]Wave, len(s.emptySince))
	for i := range slots {
		slots[i].Slot, slots[i].SIMD = i, s
	}
	return slots
}

// Release lets a wave that waits at a barrier issue from the given cycle on, which is after now.
func (s *SIMD) Release(now uint64, w *Wave, cycle uint64) {
	s.CatchUp(now)
	cycle = max(cycle, w.freeAt)
	waited := cycle - w.freeAt
	s.Cycles[account.Barrier] += waited
	s.shared.count(w, w.op).Cycles[account.Barrier] += waited
	if s.trace.to != nil {
		s.trace.to.Waited(w.freeAt, cycle, w.SlotID(), account.Barrier)
	}
	w.freeAt = cycle
	s.advance(w, w.op.next, now, cycle, account.Barrier)
	s.wake(w)
}
