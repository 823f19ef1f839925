// Package timing defines the response to an access of a wave: to memory, to the LDS or to the payloads of an execution graph.
// The part that carries out the access fills the response in, and the wave's SIMD reads it; those between them pass it on.
package timing

import "spvsim/account"

// A Response states when an access is done, and for how long it occupies its unit. ReadyAt and the cycles from which units are
// free are absolute: with an access issued in cycle 100 that occupies the address path for 4 cycles, of which the last 2
// wait for a free MSHR, UnitFreeAt is 104 and StallCycles 2.
type Response struct {
	ReadyAt       uint64         // cycle of the result or, for a store, of the acknowledgement; without the latency of the instruction's class
	UnitFreeAt    uint64         // cycle from which the unit accepts the next access of any SIMD
	OwnUnitFreeAt uint64         // cycle from which the unit accepts the next access of the same SIMD, where that is later; otherwise 0
	Busy          uint64         // cycles that the access itself takes of its unit; 0: nothing of it
	StallCycles   uint64         // last cycles before UnitFreeAt: back-pressure of a full queue of memory
	Token         uint64         // names a pending memory access when its completion is reported
	StallReason   account.Reason // charged to waves that wait for the unit during StallCycles
	Completion    Completion
	BlocksWave    bool // the wave issues nothing before the completion, which comes by callback

	// Of an access to the LDS: passes over the banks, and those among them that bank conflicts added.
	Passes, ConflictPasses int
}

// A Completion is the way in which the SIMD learns when an access is done.
type Completion uint8

const (
	KnownAtIssue Completion = iota // at ReadyAt
	ByCallback                     // a message reports it (simd.Ticket.Complete)
	ByEngine                       // the engine's thread computes it later (simd.Ticket.CompleteByEngine): not before ReadyAt
)
