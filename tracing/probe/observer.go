package probe

import "fmt"

// A Print is the output of one lane.
type Print struct {
	Cycle     uint64
	Workgroup [3]uint32
	Wave      uint32 // within the workgroup
	Lane      int
	Text      string
}

// String returns the text with its origin.
func (p Print) String() string {
	return fmt.Sprintf("cycle %d, workgroup %d,%d,%d, wave %d, lane %d: %s", p.Cycle, p.Workgroup[0], p.Workgroup[1], p.Workgroup[2], p.Wave, p.Lane, p.Text)
}

// An Observer receives the output of shaders during a run. Without an observer, the events are not built.
type Observer interface {
	// Printed is called in the order of issue, for each active lane from the lowest.
	Printed(p Print)
}
