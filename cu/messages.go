package cu

import (
	"spvsim/engine"
	"spvsim/simd"
)

// A DispatchMsg places a workgroup on a compute unit. It comes from the dispatcher, and arrives when the first wave may issue; slots, registers and LDS are
// taken from cycle SlotsTakenAt on.
type DispatchMsg struct {
	engine.Header
	Launch       *KernelLaunch
	Workgroup    Workgroup
	SlotsTakenAt uint64
	LDSBase      uint32
	Waves        []DispatchedWave
	// Pool takes the message back when it has been handled.
	Pool *engine.Pool[DispatchMsg]
}

// tagShift is the first bit of Launch.Tag in the index of a workgroup, above the index in its launch (2^48 at most).
const tagShift = 48

// index returns a number that no other workgroup resident on the machine has.
func (m *DispatchMsg) index() uint64 { return m.Workgroup.Index | uint64(m.Launch.Tag)<<tagShift }

// A DispatchedWave is a wave of a workgroup that is placed: the SIMD that it
// goes to, and the cycle from which it may issue.
type DispatchedWave struct {
	SIMD         int
	FirstIssueAt uint64
}

// A WaveEnd notifies the dispatcher that a wave has given back its slot and its
// registers; with the last one of a workgroup, the LDS and the barrier too.
type WaveEnd struct {
	engine.Header
	Unit, SIMD int
	Launch     *KernelLaunch
	Last       bool   // of its workgroup
	Index      uint64 // the workgroup's
	LDSBase    uint32
	// Done is the cycle by which all that the workgroup did is done, stores included.
	Done uint64
	// First is the cycle in which the workgroup issued its first instruction.
	First uint64
	units *ComputeUnits
}

// Handled returns the message to its pool.
func (m *WaveEnd) Handled() { m.units.waveEndPool.Release(m) }

// endLatency is the time from the end of a wave to the dispatcher's receipt of it, cycles.
const endLatency = 1

// An Answer ends the wait of a wave for an operation: an access to the LDS or to payloads.
type Answer struct {
	engine.Header
	Ticket simd.Ticket
	// Done is the cycle in which the operation was done, not after the arrival.
	Done  uint64
	unit  *ComputeUnit
	local bool // from the unit's own LDS
}

// Answer makes the answer to an access of a wave that completes later. It may be sent with a cycle of completion before that of its arrival.
func (u *ComputeUnit) Answer(t simd.Ticket) *Answer {
	a := u.answers.Acquire()
	a.Ticket, a.Done, a.unit, a.local = t, 0, u, false
	return a
}

// Port returns the port for the unit's messages.
func (u *ComputeUnit) Port() *engine.Port { return u.port }
