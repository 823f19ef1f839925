// Package sampled times a part of each launch, and estimates the time of the rest (mode sampled). Its caller provides the
// Machine, and each launch as a SampledLaunch.
package sampled

import (
	"spvsim/account"
	"spvsim/cu"
	"spvsim/gpu/machine"
	"spvsim/mem/hierarchy"
	"spvsim/scheduler"
)

// A SampledLaunch is one launch of a job as the sampler sees it.
type SampledLaunch interface {
	// Step names the step whose counts include the launch. Kind is equal for launches of one population, in whatever
	// steps; empty: the step's name is used.
	Step() string
	Kind() string
	// ClassKey is equal for launches that are assigned to one stratum before they run.
	ClassKey() string
	// Kernel returns the kernel, which may run in parts and be repeated. It returns nil for draws, graphs and
	// concurrent launches: these run as wholes.
	Kernel() *cu.KernelLaunch
	// Workgroups returns the number of workgroups, if it is known before the launch.
	Workgroups() (n uint64, known bool)
	// Resources returns the resources of a compute unit that one workgroup occupies.
	Resources() cu.Resources
	// Timed and Functional run a part with timing and without, and return its counts, also with an error. follows: the
	// launch follows another one of its stream. warm: functional warming, i.e. accesses fill the caches. The counts of
	// a functional run are valid until the next one.
	Timed(p scheduler.WorkgroupRange, follows bool) (*account.Counts, error)
	Functional(p scheduler.WorkgroupRange, warm bool) (*account.Counts, error)
	// Number returns the launch's number in the job, from 0.
	Number() int
	// SoFar returns the counts so far of the timed launch in progress.
	SoFar() *account.Counts
}

// A Machine is the simulated machine, with what the sampler reads and restores.
type Machine struct {
	*machine.Machine
	Tally      *account.Tally
	Functional Functional
	Joules     func(*account.Counts) float64 // energy of timed counts; nil: the machine has no energies
	FreeBytes  func() uint64                 // host memory that the run may still allocate
}

// warmingStats returns the accesses of the last functional run; empty: the hierarchy does not warm.
func (m *Machine) warmingStats() *hierarchy.WarmingStats {
	if fast, ok := m.Hierarchy.(*hierarchy.Analytic); ok {
		return fast.WarmingStats()
	}
	return &hierarchy.WarmingStats{}
}

// Functional counts and controls runs without timing.
type Functional interface {
	// Executed returns the instructions executed so far.
	Executed() uint64
	// CountLDS sets whether runs with functional warming count LDS cycles. LDSCycles returns those of the last run.
	CountLDS(on bool)
	LDSCycles() uint64
	// LongestWave returns the instructions of the longest wave of the last run.
	LongestWave() uint64
	// DuringTimed calls timed, which runs a launch with timing. Functional runs inside it add their counts after it.
	DuringTimed(timed func() error) error
	// Uncounted calls run, then restores the shader clock and the list of faults. It returns the instructions that run
	// executed.
	Uncounted(run func() error) (instructions uint64, err error)
}

// wholeLaunch returns the range of all workgroups of a launch.
func wholeLaunch(l SampledLaunch) scheduler.WorkgroupRange {
	n, _ := l.Workgroups()
	return scheduler.WorkgroupRange{End: n}
}

// runTimed times a part of a launch, and adds the counts to its step.
func (s *Sampler) runTimed(l SampledLaunch, p scheduler.WorkgroupRange, follows bool) error {
	c, err := l.Timed(p, follows)
	if c != nil {
		s.machine.Tally.Add(l.Step(), c)
	}
	return err
}
