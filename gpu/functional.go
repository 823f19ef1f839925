package gpu

import (
	"cmp"
	"fmt"
	"slices"

	"spvsim/mem/hierarchy"

	"spvsim/account"
	"spvsim/check"
	"spvsim/cu"
	"spvsim/gpu/functional"
	"spvsim/gpu/machine"
	"spvsim/isa"
	"spvsim/lds"
	"spvsim/program"
)

// A functionalRunner runs works without time.
type functionalRunner struct {
	machine          *machine.Machine
	programs         *programs
	guard            *guard
	clock            *timing // whose time does not move meanwhile
	executed         uint64  // instructions, which shaders read as the clock
	cache            functional.Cache
	checker          *check.Checker // nil: accesses are not checked
	faults           []lds.Fault
	workgroups       uint64 // workgroups of what runs
	lds              *lds.LDS
	unit             func(index uint64) int   // where the dispatcher places a workgroup of a launch
	insideTimed      bool                     // a timed launch, whose counts are not to be touched
	deferredCounts   []func()                 // what is to be counted when that is over
	ldsCounted       bool                     // runs that bring lines into the caches count the cycles of the LDS
	ldsUnit          uint64                   // cycles of the LDS that the last run took, if they are counted
	longestWave      uint64                   // instructions of the wave of the last run that has most
	counted          account.Counts           // of the last run
	functionalCounts account.FunctionalCounts // of the last run
}

// functionalKernel returns the part of a launch that a functional run needs.
func functionalKernel(l *cu.KernelLaunch) *functional.Kernel {
	return &functional.Kernel{Program: l.Code.Program, Bindings: l.Bindings, Scratch: l.Scratch, Check: l.Check}
}

// options returns the options that all functional runs of the job have in common.
func (u *functionalRunner) options(need cu.Resources) functional.Options {
	s := u.guard.setup
	m := s.Machine
	return functional.Options{
		Threads: s.Threads, Cache: &u.cache, Checked: u.checker != nil, Resident: max(need.Occupancy(u.machine.Limits), 1) * m.Units(),
		Print: func(at uint64, p *program.Program, st *isa.State, in *isa.Inst) {
			printLanes(s.Observer, at, p, st, in)
		},
		Poll: u.poll, Clock: u.executed, ClockMHz: m.ClockMHz, ClockBits: m.ClockBits,
	}
}

// warmCaches makes a functional run bring its lines into the caches, workgroups round robin over the compute units. Akita's memory has
// no state that could be warmed.
func (u *functionalRunner) warmCaches(o *functional.Options, warm bool) {
	fast, ok := u.machine.Hierarchy.(*hierarchy.Analytic)
	if !warm || !ok {
		return
	}
	m := u.guard.setup.Machine
	if u.lds == nil {
		u.lds = lds.New(&m.LDS)
	}
	fast.ResetWarming() // so that Warmed counts the requests of this run alone
	if o.Warm = fast; u.ldsCounted {
		o.LDS = u.lds
	}
	o.Unit = func(wg *functional.Workgroup) int { return u.unit(wg.Index) }
}

// counts runs something functional and counts it. The counts are valid until the next run.
func (u *functionalRunner) counts(run func() (*functional.Counts, error)) (*account.Counts, error) {
	before := u.machine.Store.Faults.Count
	did, err := run()
	u.executed += did.Total()
	u.ldsUnit, u.longestWave = did.LDSUnit, did.LongestWave
	u.faults = append(u.faults, did.Faults...)
	u.countIssues(did.Issues)
	u.functionalCounts = account.FunctionalCounts{Launches: 1, Workgroups: did.Workgroups, Waves: did.Waves, ByClass: did.Instructions,
		Traffic: account.MovedBytes{Read: did.MovedBytes[hierarchy.Read], Written: did.MovedBytes[hierarchy.Write], Atomic: did.MovedBytes[hierarchy.Atomic], LDS: did.LDS}}
	u.counted = account.Counts{Launches: 1, Workgroups: did.Workgroups, Waves: did.Waves, ByClass: did.Instructions, Lanes: did.Lanes,
		OutOfBounds: u.machine.Store.Faults.Count - before + did.LDSFaults, Functional: &u.functionalCounts}
	if err = u.err(err); err != nil {
		err = fmt.Errorf("%w%s", err, busiestLoop(did.Issues))
	}
	return &u.counted, err
}

// countIssues adds to how often instructions were executed: within a timed launch, when that is over.
func (u *functionalRunner) countIssues(by map[*program.Program][]functional.Issued) {
	for prog, issues := range by {
		if u.insideTimed {
			issues = slices.Clone(issues)
			u.deferredCounts = append(u.deferredCounts, func() { u.programs.executed(prog, issues) })
		} else {
			u.programs.executed(prog, issues)
		}
	}
}

// CountLDS, Executed, LDSCycles, LongestWave, DuringTimed and Uncounted implement sampled.Functional.
func (u *functionalRunner) CountLDS(on bool)    { u.ldsCounted = on }
func (u *functionalRunner) Executed() uint64    { return u.executed }
func (u *functionalRunner) LDSCycles() uint64   { return u.ldsUnit }
func (u *functionalRunner) LongestWave() uint64 { return u.longestWave }

// Uncounted leaves the clock and the faults as they were.
func (u *functionalRunner) Uncounted(run func() error) (instructions uint64, err error) {
	did, seen, faults := u.executed, len(u.faults), u.machine.Store.Faults
	err = run()
	instructions = u.executed - did
	u.executed, u.faults, u.machine.Store.Faults = did, u.faults[:seen], faults
	return instructions, err
}

// DuringTimed runs a timed launch between whose workgroups others run functional: their counts are added when it is over.
func (u *functionalRunner) DuringTimed(timed func() error) error {
	u.insideTimed = true
	err := timed()
	u.insideTimed = false
	for _, add := range u.deferredCounts {
		add()
	}
	u.deferredCounts = u.deferredCounts[:0]
	return err
}

// busiestLoop names the loop that executed the most instructions of a run; empty if there is none.
func busiestLoop(issues map[*program.Program][]functional.Issued) string {
	var most uint64
	var list []loop
	for p, counts := range issues {
		pc, n := 0, uint64(0)
		for i := range counts {
			if counts[i].Times > n {
				pc, n = i, counts[i].Times
			}
		}
		l, ok := innermostLoop(p, pc)
		if !ok || n < most {
			continue
		}
		if n > most {
			most, list = n, nil
		}
		list = append(list, l)
	}
	if len(list) == 0 {
		return ""
	}
	first := slices.MinFunc(list, func(a, b loop) int { return cmp.Compare(a.program.Name, b.program.Name) })
	return fmt.Sprintf("; most instructions were of %s", first)
}

// err words an error of a functional run as errors of this package.
func (u *functionalRunner) err(err error) error {
	if err == nil {
		return nil
	}
	return cmp.Or(u.guard.interrupted("after %d instructions", u.executed), err)
}

// executed adds to how often a program's instructions were executed.
func (p *programs) executed(prog *program.Program, issues []functional.Issued) {
	for _, l := range p.order {
		if l.code.Program != prog {
			continue
		}
		for i, n := range issues {
			l.code.Counts[i].Issues += n.Times
			l.code.Counts[i].Idle += n.Idle
		}
	}
}

// poll looks now and then whether to go on, and reports how far the run is.
func (u *functionalRunner) poll(p functional.Progress) error {
	if err := u.guard.checkLimits(); err != nil {
		return fmt.Errorf("%w; %d of %d workgroups ended, %d have begun", err, p.EndedWorkgroups, u.workgroups, p.RunningWorkgroups)
	}
	u.guard.reportStall(p.EndedWorkgroups, func() string {
		return fmt.Sprintf("(%d instructions); %d of %d workgroups ended, %d have begun", p.Instructions, p.EndedWorkgroups, u.workgroups, p.RunningWorkgroups)
	})
	u.guard.reportProgress(u.clock.now, u.clock.tally.Issued+p.Instructions, p.EndedWorkgroups, p.RunningWorkgroups, u.workgroups)
	return nil
}
