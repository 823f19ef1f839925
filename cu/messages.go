package cu

import (
	"spvsim/engine"
	"spvsim/simd"
)

// A DispatchMsg is the message with which the dispatcher puts a workgroup on a compute
// unit. It arrives when the first wave may issue; slots, registers and LDS are
// taken from cycle Placed on.
type DispatchMsg struct {
	engine.Header
	Launch       *Launch
	Workgroup    Workgroup
	SlotsTakenAt uint64
	LDSBase      uint32
	Waves        []DispatchedWave
	// Pool is where the message goes when it has been handled.
	Pool *engine.Stock[DispatchMsg]
}

// tagShift is the first bit of the number of the open work in the index of a workgroup, above those of its launch (2^48 at most).
const tagShift = 48

// index distinguishes the workgroup from all others that are resident on the machine.
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
	Launch     *Launch
	Last       bool   // of its workgroup
	Index      uint64 // the workgroup's
	LDSBase    uint32
	// Done is the cycle by which all that the workgroup did is done, stores included.
	Done uint64
	// First is the cycle in which the workgroup issued its first instruction.
	First uint64
	units *ComputeUnits
}

// Handled gives the message back.
func (m *WaveEnd) Handled() { m.units.waveEndPool.Give(m) }

// endLatency is the time in which the end of a wave gets to the dispatcher, cycles.
const endLatency = 1

// An Answer is the message with which an operation of a wave is done that it
// waits for: it comes from the LDS or the payload pool.
type Answer struct {
	engine.Header
	Ticket simd.Ticket
	// Done is the cycle in which the operation was done, not after the arrival.
	Done  uint64
	unit  *ComputeUnit
	local bool // from the unit's own LDS
}

// Answer makes the answer to a wave's operation that is to come. The wave may be
// told that the operation was done in an earlier cycle than that of the arrival.
func (u *ComputeUnit) Answer(t simd.Ticket) *Answer {
	a := u.answers.Take()
	a.Ticket, a.Done, a.unit, a.local = t, 0, u, false
	return a
}

// Port is where a compute unit takes messages.
func (u *ComputeUnit) Port() *engine.Port { return u.port }
