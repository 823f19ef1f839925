// Package sampled times a part of each launch, and estimates the time of the rest (mode sampled). Its caller provides the
// Machine, and each launch as a SampledLaunch.
package sampled

import (
	"spvsim/account"
	"spvsim/cu"
	"spvsim/gpu/machine"
	"spvsim/scheduler"
)

// A SampledLaunch is a launch of a job, as it is sampled.
type SampledLaunch interface {
	// Step is the step that it is counted with. Kind is the same for launches that are alike, of whatever steps; empty: the step.
	Step() string
	Kind() string
	// ClassKey is the same for all launches of a kind that are taken for alike.
	ClassKey() string
	// Kernel is the grid of workgroups, which may run in parts and run again; nil: draws, graphs and launches beside each other, which run as wholes.
	Kernel() *cu.KernelLaunch
	// Workgroups returns the number of workgroups, if it is known before they run.
	Workgroups() (n uint64, known bool)
	// Resources returns what a workgroup needs of a compute unit.
	Resources() cu.Resources
	// Timed and Functional run a part, with time and without, and return what it did, also with an error. follows: after another launch of
	// its stream; warm: lines come into the caches. The counts of a functional run are valid until the next one.
	Timed(p scheduler.WorkgroupRange, follows bool) (*account.Counts, error)
	Functional(p scheduler.WorkgroupRange, warm bool) (*account.Counts, error)
	// Number counts the launches of the job from 0.
	Number() int
	// SoFar returns what the timed launch that is running has counted.
	SoFar() *account.Counts
}

// A Machine is what the sampler observes and restores beside launches.
type Machine struct {
	*machine.Machine
	Tally      *account.Tally
	Functional Functional
	Joules     func(*account.Counts) float64 // energy of what was timed; nil: the machine has no energies
	FreeBytes  func() uint64                 // of the host's memory, as far as the run may take it
}

// Functional is what functional runs did.
type Functional interface {
	// Executed is the number of instructions so far.
	Executed() uint64
	// CountLDS has runs that bring lines into the caches count the cycles of the LDS, or not. LDSCycles are those of the last run.
	CountLDS(on bool)
	LDSCycles() uint64
	// LongestWave is the number of instructions of the longest wave of the last run.
	LongestWave() uint64
	// DuringTimed runs timed work, between whose workgroups others run functional.
	DuringTimed(timed func() error) error
	// Uncounted runs something functional that neither the clock of shaders nor the list of faults shows, and returns its instructions.
	Uncounted(run func() error) (instructions uint64, err error)
}

// whole is all of a launch.
func wholeLaunch(l SampledLaunch) scheduler.WorkgroupRange {
	n, _ := l.Workgroups()
	return scheduler.WorkgroupRange{End: n}
}

// clocked runs a part of a launch with time, and counts it with its step.
func (s *Sampler) runTimed(l SampledLaunch, p scheduler.WorkgroupRange, follows bool) error {
	c, err := l.Timed(p, follows)
	if c != nil {
		s.machine.Tally.Add(l.Step(), c)
	}
	return err
}
