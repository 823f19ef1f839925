package probe

// A Print is what one lane printed.
type Print struct {
	Cycle     uint64
	Workgroup [3]uint32
	Wave      uint32 // within the workgroup
	Lane      int
	Text      string
}

// An Observer receives what a run shows while it runs. Nothing is built for an observer that was not given.
type Observer interface {
	// Printed is called in the order of issue, for each active lane from the lowest.
	Printed(p Print)
}
