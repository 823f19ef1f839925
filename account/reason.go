// Package account is what the machine counts: where the cycles of wave slots
// went, how often each instruction issued, what happened at each level of memory,
// in the LDS, in an execution graph and in a draw.
//
// The package does not know how a machine works, nor how its counts are shown.
package account

// A Reason says where a cycle of a wave slot went. Every cycle of every slot
// has exactly one.
type Reason uint8

// Reasons, in the order in which statistics list them.
const (
	Issued   Reason = iota // the wave's instruction takes the issue port
	Operand                // waits for a result of an ALU
	Unit                   // ready, but its unit or issue port is taken
	LDS                    // waits for a result of the LDS
	Memory                 // waits for a result of memory
	Barrier                // waits for other waves of its workgroup
	Payload                // waits for a payload of an execution graph
	Fetch                  // waits for its next instruction
	Dispatch               // the slot is taken, its wave has not started
	Empty                  // no wave
	NumReasons
)

var reasonNames = [NumReasons]string{
	"issued", "operand", "unit", "lds", "memory", "barrier", "payload", "fetch", "dispatch", "empty",
}

func (r Reason) String() string { return reasonNames[r] }

// ReasonNames are the names of all reasons, in their order.
func ReasonNames() []string { return reasonNames[:] }

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

// Add adds o to c.
func (c *SlotCycles) Add(o *SlotCycles) {
	for r, n := range o {
		c[r] += n
	}
}

// InstCount is what one static instruction cost over all waves: how often it
// issued, and the cycles that waves spent at it by reason.
type InstCount struct {
	Issues uint64
	Cycles SlotCycles
	// LDSPasses are the passes of the accesses to LDS, ConflictPasses those that
	// bank conflicts added.
	LDSPasses, ConflictPasses uint64
}

// Add adds what another count holds.
func (c *InstCount) Add(o *InstCount) {
	c.Issues += o.Issues
	c.Cycles.Add(&o.Cycles)
	c.LDSPasses += o.LDSPasses
	c.ConflictPasses += o.ConflictPasses
}
