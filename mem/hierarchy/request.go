package hierarchy

import (
	"spvsim/account"
	"spvsim/internal/timing"
)

// A Kind is what a request does with its lines.
type Kind uint8

// Kinds of request.
const (
	Read Kind = iota
	Write
	Atomic
)

func (k Kind) String() string { return [...]string{"read", "write", "atomic"}[k] }

// A Line is one cache line of a request.
type Line struct {
	Addr   uint64 // of its first byte
	Bytes  uint32 // bytes that the lanes move, counted for each lane
	Serial uint32 // updates of an element beyond its first one (atomics)
	Words  uint64 // a bit for each word of the line, lowest first: those that a store writes whole, or that a load reads in, if the cache has sectors
}

// A Request is what one instruction asks of the hierarchy.
type Request struct {
	CU       int // compute unit in the machine
	Kind     Kind
	Scalar   bool     // through the scalar cache
	Coherent bool     // past the levels that the machine does not share
	Uncached bool     // past the L2 as well; Coherent must be set. Akita's caches ignore it
	Busy     uint64   // cycles that the address path needs; lines leave it evenly spread
	Lines    []Line   // in the order in which lanes touch them first
	Missed   []int32  // indices of the lines that begin a range of addresses that misses in the L1 TLB
	Token    uint64   // names the request in a later completion
	To       Receiver // is called back; nil: the compute unit
}

// A Receiver is called back for a request of its own.
type Receiver interface{ Completed(token, now uint64) }

// StallReason is charged to waves that wait for the address path while a full queue stalls it, by kind of request.
var StallReason = [...]account.Reason{Read: account.MemoryRead, Write: account.MemoryWrite, Atomic: account.MemoryAtomic}

// A CompletionFunc is called when the request of a token is done.
type CompletionFunc func(token, now uint64)

// A Model responds to requests, with now never decreasing over all compute units.
type Model interface {
	// LineBytes returns the line sizes of the vector and the scalar cache.
	LineBytes() (vector, scalar int)
	// WordBytes returns the bytes of each bit of Line.Words.
	WordBytes() int
	// Access books the request's lines. It does not keep r or its slices. The response is valid until the next access.
	Access(now uint64, r *Request) *timing.Response
	// OnComplete sets the receiver of completions of one compute unit.
	OnComplete(cu int, f CompletionFunc)
	// KernelBoundary invalidates the caches that are not shared by the machine
	// and hold no dirty lines: what a kernel launch does.
	KernelBoundary()
	// Release writes back what a launch must not leave in caches that the
	// machine does not share, and returns when that is done.
	Release(now uint64) uint64
	// Reset makes all caches cold. It must not be called with requests pending.
	Reset()
	// Counters returns cumulative counts, nearest level first, memory last.
	Counters() []Counter
}

// A Counter counts the traffic of one level, over all its instances.
type Counter struct {
	Level           string
	Accesses        uint64 // lines asked for
	Hits            uint64 // lines present, or on their way
	InFlight        uint64 // of the hits, lines on their way
	Misses          uint64
	Bytes           uint64 // moved between this level and the one before
	Written         uint64 // of them, of stores and evicted lines
	Writebacks      uint64 // dirty lines evicted
	LinkRead        uint64 // bytes that the links to the next level carried from it
	LinkWritten     uint64 // and to it
	QueueFullCycles uint64 // sum over all requests of the cycles that they waited for an entry of its queues
}
