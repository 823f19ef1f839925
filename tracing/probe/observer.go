package probe

import "fmt"

// A Print is what one lane printed.
type Print struct {
	Cycle     uint64
	Workgroup [3]uint32
	Wave      uint32 // within the workgroup
	Lane      int
	Text      string
}

// String is the text with the place that it comes from.
func (p Print) String() string {
	return fmt.Sprintf("cycle %d, workgroup %d,%d,%d, wave %d, lane %d: %s", p.Cycle, p.Workgroup[0], p.Workgroup[1], p.Workgroup[2], p.Wave, p.Lane, p.Text)
}

// An Observer receives what a run shows while it runs. Nothing is built for an observer that was not given.
type Observer interface {
	// Printed is called in the order of issue, for each active lane from the lowest.
	Printed(p Print)
}
