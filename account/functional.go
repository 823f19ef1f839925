package account

import "spvsim/isa"

// FunctionalCounts holds the counts of functional runs.
type FunctionalCounts struct {
	Launches   uint64 // without any timed part
	Workgroups uint64
	Waves      uint64
	ByClass    [isa.NumClasses]uint64 // instructions
	Traffic    MovedBytes
}

// MovedBytes are the bytes that lanes moved.
type MovedBytes struct {
	Read    uint64 `json:"read" unit:"bytes" doc:"bytes of device memory that lanes read"`
	Written uint64 `json:"written" unit:"bytes" doc:"bytes of device memory that lanes wrote"`
	Atomic  uint64 `json:"atomic" unit:"bytes" doc:"bytes of device memory that atomic operations updated"`
	LDS     uint64 `json:"lds" unit:"bytes" doc:"bytes of the LDS that lanes read and wrote"`
}

// Instructions is the number of wave instructions.
func (f *FunctionalCounts) Instructions() (sum uint64) {
	for _, n := range f.ByClass {
		sum += n
	}
	return sum
}

// Add adds the counts of a later launch.
func (f *FunctionalCounts) Add(o *FunctionalCounts) {
	f.Launches += o.Launches
	f.Workgroups += o.Workgroups
	f.Waves += o.Waves
	for i, n := range o.ByClass {
		f.ByClass[i] += n
	}
	f.Traffic.Read += o.Traffic.Read
	f.Traffic.Written += o.Traffic.Written
	f.Traffic.Atomic += o.Traffic.Atomic
	f.Traffic.LDS += o.Traffic.LDS
}

// Untimed reports whether all of it ran in functional mode.
func (c *Counts) Untimed() bool {
	return c.Functional != nil && c.Functional.Launches == c.Launches && c.Estimate == nil
}

// TimedShare is the part of the instructions that was timed.
func (c *Counts) TimedShare() float64 {
	all := c.Instructions()
	if c.Functional == nil || all == 0 {
		return 1
	}
	return 1 - float64(c.Functional.Instructions())/float64(all)
}
