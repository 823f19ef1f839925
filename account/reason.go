// Package account holds the counts of the machine: cycles of wave slots by reason, issues of each instruction, and the
// counts of each memory level, of the LDS, of execution graphs and of draws.
//
// The package knows neither how a machine works nor how its counts are shown.
package account

// A Reason is the cause to which a cycle of a wave slot is charged. Every cycle of every slot has exactly one.
type Reason uint8

// Reasons, in the order of the statistics.
const (
	Issued Reason = iota
	Operand
	Unit
	LDS
	Memory
	MemoryRead
	MemoryWrite
	MemoryAtomic
	Barrier
	Payload
	Fetch
	Dispatch
	Empty
	NumReasons
)

var reasons = [NumReasons]struct{ name, meaning string }{
	Issued:       {"issued", "an instruction of the wave uses the issue port"},
	Operand:      {"operand", "the wave waits for a result of an ALU"},
	Unit:         {"unit", "the wave is ready, but its unit or issue port is busy"},
	LDS:          {"lds", "the wave waits for a result of the LDS"},
	Memory:       {"memory", "the wave waits for a result of memory"},
	MemoryRead:   {"memory.read", "the wave is ready, but the address path holds a load and waits for a full queue of memory"},
	MemoryWrite:  {"memory.write", "the wave is ready, but the address path holds a store and waits for a full queue of memory; or the wave has ended except for a store that is not acknowledged, or its launch has ended except for stores that memory has not taken"},
	MemoryAtomic: {"memory.atomic", "the wave is ready, but the address path holds atomics and waits for a full queue of memory; or the wave has ended except for an atomic that is not done"},
	Barrier:      {"barrier", "the wave waits for other waves of its workgroup"},
	Payload:      {"payload", "the wave waits for a payload of an execution graph, or for space in its queue"},
	Fetch:        {"fetch", "the wave waits for its next instruction"},
	Dispatch:     {"dispatch", "the slot has a wave that has not started"},
	Empty:        {"empty", "the slot holds no wave"},
}

func (r Reason) String() string { return reasons[r].name }

// Meaning describes the state of a slot in the cycles that are charged to the reason.
func (r Reason) Meaning() string { return reasons[r].meaning }

// ReasonNames are the names of all reasons, in their order.
func ReasonNames() []string {
	names := make([]string, NumReasons)
	for r := range names {
		names[r] = reasons[r].name
	}
	return names
}

// SlotCycles counts cycles of wave slots by reason.
type SlotCycles [NumReasons]uint64

// Total is the sum over all reasons.
func (c *SlotCycles) Total() uint64 {
	var sum uint64
	for _, n := range c {
		sum += n
	}
	return sum
}

func (c *SlotCycles) Add(o *SlotCycles) {
	for r, n := range o {
		c[r] += n
	}
}

// InstCount holds the costs of one static instruction over all waves: its issues, and the cycles that waves spent at it
// by reason.
type InstCount struct {
	Issues uint64
	Cycles SlotCycles
	// LDSPasses are the passes of the LDS accesses, ConflictPasses those of them that bank conflicts added.
	LDSPasses, ConflictPasses uint64
	Idle                      uint64 // inactive lanes over all issues: most instructions have none
	// UnitCycles are the cycles that accesses to memory or to the LDS took of the unit that the SIMDs share, without waits.
	UnitCycles uint64
}

// AccessCounts are the accesses of an instruction to memory: their number, the cache lines that they asked for, the sectors of 32
// bytes that lanes touched in those, and the bytes that lanes moved.
type AccessCounts struct{ Accesses, Lines, Sectors, Bytes uint64 }

// LDS returns the counts of an access to the LDS: each issue is one access.
func (c *InstCount) LDS() LDSCounts {
	return LDSCounts{Accesses: c.Issues, Passes: c.LDSPasses, ConflictPasses: c.ConflictPasses}
}

// Lanes returns the active lanes over all issues, in waves of the given size.
func (c *InstCount) Lanes(waveSize int) uint64 { return c.Issues*uint64(waveSize) - c.Idle }

// Add adds another count.
func (c *InstCount) Add(o *InstCount) {
	c.Issues += o.Issues
	c.Idle += o.Idle
	c.UnitCycles += o.UnitCycles
	c.Cycles.Add(&o.Cycles)
	c.LDSPasses += o.LDSPasses
	c.ConflictPasses += o.ConflictPasses
}
