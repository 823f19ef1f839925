// Package probe is the interface between the machine and its observers: the interface of a tracer, and the events that
// it receives. Events that no tracer receives are not built.
//
// The package knows neither the observers nor how a machine works.
package probe

import (
	"fmt"
	"slices"

	"spvsim/account"
	"spvsim/program"
)

// A Geometry describes a machine's wave slots and their hierarchy.
type Geometry struct {
	Machine  string
	ClockMHz int
	Engines  int
	Units    int // compute units of an engine
	SIMDs    int // of a compute unit
	Slots    int // wave slots of a SIMD
	Levels   []string
}

// Total is the number of wave slots of the machine.
func (g *Geometry) Total() int { return g.Engines * g.Units * g.SIMDs * g.Slots }

// Index numbers a wave slot over the machine.
func (g *Geometry) Index(p WaveSlotID) int { return (p.Unit*g.SIMDs+p.SIMD)*g.Slots + p.Slot }

// UnitName is the name of a compute unit, as the machine's parts are named.
func (g *Geometry) UnitName(unit int) string {
	return fmt.Sprintf("SE[%d].CU[%d]", unit/g.Units, unit%g.Units)
}

// A WaveSlotID is a wave slot: its compute unit in the machine, its SIMD in the unit,
// its slot in the SIMD.
type WaveSlotID struct{ Unit, SIMD, Slot int }

// A LaunchInfo is a dispatch that begins.
type LaunchInfo struct {
	Step string
	At   uint64
}

// A Workgroup was placed on a compute unit. Index distinguishes it from the other workgroups that are resident on the
// machine; Input is the handle of its payloads, 0 for none.
type Workgroup struct {
	At    uint64
	Unit  int
	Index uint64
	ID    [3]uint32
	Name  string // of its program
	Input uint64
}

// A Wave took a wave slot, from cycle At on.
type Wave struct {
	WaveSlotID
	At        uint64
	Program   *program.Program
	Group     uint64 // the workgroup's Index
	Workgroup [3]uint32
	Wave      uint32 // in the workgroup
	Launch    string // its launch, if it runs concurrently with others; empty: it runs alone
}

// An Issue is an instruction of a wave. The wave waited for reason Why from cycle From to Ready, then for its unit until
// At, and occupies the issue port from At to End.
type Issue struct {
	WaveSlotID
	Index  int    // of the slot in the machine, as Geometry.Index has it
	PC     int    // in the wave's program
	Exec   uint64 // the lanes that are active
	Reason account.Reason

	From, Ready, At, End uint64
	StallCycles          uint64         // between Ready and At: until then the wave has waited for a full queue of memory
	StallReason          account.Reason // the reason that this wait is charged to
}

// An Access is an access to memory or to the LDS, from its issue to its result.
type Access struct {
	WaveSlotID
	PC    int
	Op    string
	At    uint64
	Ready uint64 // Unknown: AccessDone brings it
	ID    uint64 // names it in AccessDone
	Lines []Line // of the caches; nil for the LDS. Valid during the call
	Kind  string // what it does with its lines: read, write, atomic; empty: it has none
	Level string // the farthest level that was reached; empty: not known

	Passes, Conflicts int // of the LDS
}

// Unknown is a cycle that is not known yet.
const Unknown = ^uint64(0)

// A Line is a cache line of an access.
type Line struct {
	Addr  uint64
	Bytes uint32 // that lanes move
	// Sectors of 32 bytes that lanes touch; a shorter line counts as one.
	Sectors uint16
	Level   string // the farthest that was reached; empty: not known
}

// A PayloadWait is a payload of an execution graph that was enqueued, or was picked to be launched.
type PayloadWait struct {
	At   uint64
	Unit int // that enqueued it; -1: the host
	// Payload and Node name one wait of a payload in a queue; both are used again after it.
	Payload int
	Node    string
	Input   uint64 // when picked: handle of the payloads of its workgroups
}

// A Sample is the state of the machine in one cycle.
type Sample struct {
	At         uint64
	Waves      int                    // resident
	Workgroups int                    // resident
	Queue      int                    // payloads that wait
	Payloads   uint64                 // bytes that payloads have
	Nodes      []NodeQueue            // payloads that wait for each node of the graph that runs; valid during the call
	Levels     []account.LevelCounts  // counts so far; valid during the call
	Queues     []QueueWaves           // hardware queues of the job; valid during the call
	Parts      [][]account.PartCounts // of each of Levels: counts of its parts so far; nil where they are not known; valid during the call
}

// A QueueWaves is the number of wave slots that the launches of a hardware queue hold.
type QueueWaves struct {
	Queue string
	Waves int
}

// A QueueLaunch is a launch of a hardware queue that ran concurrently with others, with the cycles of its phases.
type QueueLaunch struct {
	Queue, Name string
	Packet      uint64 // its packet became the head of its queue
	Ready       uint64 // its dependences had completed
	Read        uint64 // a pipe began to read it
	Dispatched  uint64 // the dispatcher got it
	FirstPlaced uint64 // its first workgroup was placed
	Done        uint64 // its memory accesses were done
	Workgroups  uint64
	Memory      []account.LaunchTraffic // traffic of its requests, by level
	Waits       []account.LaunchWait    // slot cycles of its waves; nil: not known
}

// A QueueTracer is a Tracer that receives the phases of concurrent launches when all of them have ended and before the
// next LaunchBegin: those of a queue in the order of their packets. The list is valid during the call.
type QueueTracer interface{ QueueLaunches(list []QueueLaunch) }

// A PayloadDepth is the number of enqueued payloads that wait for their launch from a cycle on.
type PayloadDepth struct {
	At      uint64
	Graph   string // name of its first node
	All     int    // of the graph; a payload that nodes share counts once
	Node    string
	Waiting int // for the node
}

// A DepthTracer is a Tracer that receives the number of waiting payloads whenever it changes.
type DepthTracer interface{ Depth(d *PayloadDepth) }

// A FrontEndSpan is what the front end does for the records of lists.
type FrontEndSpan struct {
	Kind     string // reads, launches, program changes or preprocessing
	Name     string // what is read, or the node
	From, To uint64
}

// A FrontEndTracer is a Tracer that receives what the front end does, when its end is known. Spans of one kind may overlap.
type FrontEndTracer interface{ FrontEnd(s *FrontEndSpan) }

// A NodeQueue is the number of payloads that wait for a node.
type NodeQueue struct {
	Name    string
	Waiting int
}

// A Tracer receives the events of a machine during a run. Cycles of one wave slot never go back; those of different
// slots may, by the length of an instruction. Events are valid during the call only. A Tracer that needs only some of
// them embeds NopTracer.
type Tracer interface {
	// RunBegin is called first.
	RunBegin(g *Geometry)
	LaunchBegin(l *LaunchInfo)
	// LaunchEnd: all that the launch did is done by cycle end.
	LaunchEnd(end uint64)
	WorkgroupBegin(g *Workgroup)
	WorkgroupEnd(at uint64, unit int, index uint64)
	WaveBegin(w *Wave)
	// WaveEnd: the slot is empty from the cycle on.
	WaveEnd(at uint64, p WaveSlotID)
	Issue(i *Issue)
	// Waited at a barrier, which is not part of the Issue that follows.
	Waited(from, to uint64, p WaveSlotID, why account.Reason)
	Memory(a *Access)
	LDS(a *Access)
	// AccessDone reports the end of a memory access whose end was unknown when it began.
	AccessDone(at uint64, unit int, id uint64)
	Enqueued(p *PayloadWait)
	Picked(p *PayloadWait)
	// Sample returns the cycle of the next wanted sample; that sample may come later.
	Sample(s *Sample) (next uint64)
}

// An UnorderedTracer is a Tracer that gets issues of different SIMDs out of the order of their cycles. Those of a SIMD are in order, and
// after all that may delay them.
type UnorderedTracer interface{ Unordered() }

// Ordered reports whether a tracer, which may be nil, needs issues in the order of their cycles.
func Ordered(t Tracer) bool {
	if list, ok := t.(tracers); ok {
		return slices.ContainsFunc(list, func(x sampledTracer) bool { return Ordered(x.Tracer) })
	}
	_, unordered := t.(UnorderedTracer)
	return t != nil && !unordered
}

// NopTracer ignores all.
type NopTracer struct{}

func (NopTracer) RunBegin(*Geometry)                                {}
func (NopTracer) LaunchBegin(*LaunchInfo)                           {}
func (NopTracer) LaunchEnd(uint64)                                  {}
func (NopTracer) WorkgroupBegin(*Workgroup)                         {}
func (NopTracer) WorkgroupEnd(uint64, int, uint64)                  {}
func (NopTracer) WaveBegin(*Wave)                                   {}
func (NopTracer) WaveEnd(uint64, WaveSlotID)                        {}
func (NopTracer) Issue(*Issue)                                      {}
func (NopTracer) Waited(uint64, uint64, WaveSlotID, account.Reason) {}
func (NopTracer) Memory(*Access)                                    {}
func (NopTracer) LDS(*Access)                                       {}
func (NopTracer) AccessDone(uint64, int, uint64)                    {}
func (NopTracer) Enqueued(*PayloadWait)                             {}
func (NopTracer) Picked(*PayloadWait)                               {}
func (NopTracer) Sample(*Sample) uint64                             { return Unknown }
