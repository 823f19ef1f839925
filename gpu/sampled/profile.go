package sampled

import (
	"math"
	"math/bits"

	"spvsim/mem/hierarchy"

	"spvsim/account"
	"spvsim/config"
	"spvsim/cu"
	"spvsim/isa"
	"spvsim/scheduler"
	"spvsim/simd"
)

// Constants of launches that run twice, as docs/model/sampling.md gives them.
const (
	maxRestoredBytes         = 2048 // bytes for each instruction that are put back
	maxInstructionDifference = 0.01 // relative difference of instructions above which the second run does not count
	profileFactor            = 4    // factor on detail
	minProfiledWorkgroups    = 2    // workgroups that show the demand on memory
)

// mayRunTwice says of a kernel that it may be run once more with time when it has run without: what it changes is known and can be
// put back, and none of its workgroups waits for another.
func (s *Sampler) mayRunTwice(k *cu.KernelLaunch) bool {
	insts := k.Code.Program.Insts
	if k.Fragments != nil {
		return false
	}
	for i := range insts {
		if in := &insts[i]; !repeatable(in) {
			return false
		}
	}
	_, all := k.Bindings.Written(insts)
	return !all
}

// repeatable is false of what shows that it runs, of the clock, and of what workgroups may wait for each other with.
func repeatable(in *isa.Inst) bool {
	switch simd.PathOf(in) {
	case simd.PathPrint, simd.PathClock:
		return false
	}
	return !mayWait(in)
}

// mayWait says of an instruction that a workgroup may wait for another one with it.
func mayWait(in *isa.Inst) bool {
	switch simd.PathOf(in) {
	case simd.PathPayload, simd.PathRelease:
		return true
	}
	m := in.Mem
	switch {
	case m == nil || m.Space == isa.SpaceLDS || m.Space == isa.SpaceScratch:
		return false
	case in.Op.Has(isa.FlagAtomic):
		return in.Dst.Kind != isa.None
	}
	return m.Coherent
}

// runLooked runs a launch without time, and if its signature asks for a sample, once more with time on the memory that it left; then
// memory is as the first run left it.
func (s *Sampler) runProfiled(k *kind, l SampledLaunch, kern *cu.KernelLaunch, follows bool) error {
	if k.undivided++; k.undivided == 1 { // it finds nothing in the caches
		if err := s.replayPreceding(kern); err != nil {
			return err
		}
		s.history.record(preceding{cached: true})
		return k.timeFirst(s, l, kern, follows)
	}
	if !s.mayRestore(written(kern), uint64(k.workgroupInstructions*float64(cu.GridSize(kern.NumWorkgroups)))) {
		s.history = history{replayed: s.history.replayed}
		return s.runWhole(s.kind(l, l.ClassKey()), l, follows)
	}
	issued := append([]account.InstCount(nil), issuedOf(kern.Code)...)
	s.beforeLaunch.save(written(kern))
	c, x, cacheInsensitive, err := s.profileLaunch(l, kern)
	if err != nil {
		if c != nil {
			s.machine.Tally.Add(l.Step(), c)
		}
		return err
	}
	if !cacheInsensitive {
		x.preceding = s.history.otherPreceding(&x, s)
	}
	h := k.launches.stratumOf(&x)
	here := preceding{launch: l, kernel: kern, signature: x, base: h.base}
	defer func() { s.history.record(here) }()
	cost := x.size * x.cost()
	if k.launches.draw(h, cost) {
		if !cacheInsensitive {
			err = s.replayPreceding(kern)
		}
		var timed *account.Counts
		if err == nil {
			timed, err = s.runTimedAgain(l, kern, c, issued, follows)
		}
		if err != nil {
			return err
		}
		if here.cached = timed != nil; here.cached {
			s.machine.Tally.Add(l.Step(), timed)
			k.launches.add(h, s.newSample(l, 0, s.vector(timed), x.size, cost), cost)
			return nil
		}
		k.wholeOnly = true
		h.redraw()
	}
	s.untimedLaunch(h, l, c, cost)
	return nil
}

// first times the first launch of a kind, which finds nothing in the caches.
func (k *kind) timeFirst(s *Sampler, l SampledLaunch, kern *cu.KernelLaunch, follows bool) error {
	c, err := l.Timed(wholeLaunch(l), follows)
	if c == nil {
		return err
	}
	s.machine.Tally.Add(l.Step(), c)
	k.launches.firstLaunch = sample{counted: s.vector(c), instructions: float64(c.Instructions())}
	k.workgroupInstructions = float64(c.Instructions()) / float64(cu.GridSize(kern.NumWorkgroups))
	return err
}

// issuedOf are the counts of a program's instructions.
func issuedOf(c *simd.Code) []account.InstCount {
	c.GatherCounts()
	return c.Counts
}

// look runs a launch without time. Some of its workgroups bring their lines into the caches, which shows what they ask of memory. They are
// the same in every launch. Then the caches are as they were: lines of a few workgroups would be there in the place of what the launch finds.
// light: it matters little what that is.
func (s *Sampler) profileLaunch(l SampledLaunch, kern *cu.KernelLaunch) (all *account.Counts, x signature, cacheInsensitive bool, err error) {
	if fast, ok := s.machine.Hierarchy.(*hierarchy.Analytic); ok {
		fast.Snapshot()
		defer fast.Restore()
	}
	s.machine.Functional.CountLDS(true)
	defer s.machine.Functional.CountLDS(false)
	var sum, profiled account.Counts
	coldMemory := 0.0
	for _, p := range profiledParts(cu.GridSize(kern.NumWorkgroups), s.Sampling) {
		c, err := l.Functional(p.WorkgroupRange, p.warms)
		if c != nil {
			sum.Add(c)
		}
		if err != nil {
			return &sum, x, false, err
		}
		if p.warms {
			profiled.Add(c)
			d, n := s.demand(c, l), float64(c.Instructions())
			x.demand.add(&d, n)
			coldMemory += n * s.coldMemoryDemand(c)
		}
	}
	n := float64(max(profiled.Instructions(), 1))
	x.demand.scale(1 / n)
	sum.Functional.Launches = 1
	x.mix, x.size = mixOf(&sum.ByClass), float64(sum.Instructions())
	return &sum, x, x.demand.cacheInsensitive(coldMemory / n), nil
}

// A lookedPart is a part of a launch; seen: it brings its lines into the caches.
type profiledPart struct {
	scheduler.WorkgroupRange
	warms bool
}

// lookedAt are the parts of a launch of some workgroups: of each block, whose size is a power of two, the first ones are seen.
func profiledParts(all uint64, options *config.Sampling) (list []profiledPart) {
	detail := uint64(profileFactor) * uint64(options.Detail)
	block := uint64(1) << bits.Len64(max(all/4, uint64(minProfiledWorkgroups)*detail)-1)
	for at := uint64(0); at < all; at += block {
		middle, end := min(at+block/detail, all), min(at+block, all)
		if at < middle {
			list = append(list, profiledPart{scheduler.WorkgroupRange{First: at, End: middle}, true})
		}
		if middle < end {
			list = append(list, profiledPart{scheduler.WorkgroupRange{First: middle, End: end}, false})
		}
	}
	return list
}

// demand is what workgroups asked of the machine that ran last without time and brought their lines into the caches.
func (s *Sampler) demand(c *account.Counts, l SampledLaunch) (d demand) {
	fast, ok := s.machine.Hierarchy.(*hierarchy.Analytic)
	if !ok {
		return d
	}
	all, _ := l.Workgroups()
	waves := min(all, s.generation(l)) * uint64(l.Resources().Waves)
	return s.capacities.demand(c, fast.WarmingStats(), s.machine.Functional.LDSCycles(), waves)
}

// missed is how long memory would work for an instruction of what ran last without time, if the last level of the caches held nothing.
func (s *Sampler) coldMemoryDemand(c *account.Counts) float64 {
	fast, ok := s.machine.Hierarchy.(*hierarchy.Analytic)
	if !ok {
		return 0
	}
	return s.capacities.coldMemoryDemand(c, fast.WarmingStats())
}

// fresh is how many lines what ran last without time brought into the last level, as a share of those that this has.
func (s *Sampler) fillShare() float64 {
	fast, ok := s.machine.Hierarchy.(*hierarchy.Analytic)
	if !ok {
		return 0
	}
	return s.capacities.fillShare(fast.WarmingStats())
}

// again runs a launch once more with time, on the memory that it began with; nil: it did other work than at first, so that it does not count.
func (s *Sampler) runTimedAgain(l SampledLaunch, kern *cu.KernelLaunch, c *account.Counts, issued []account.InstCount, follows bool) (*account.Counts, error) {
	s.beforeLaunch.restore(written(kern))
	faults, counted := s.machine.Store.Faults, append([]account.InstCount(nil), issuedOf(kern.Code)...)
	copy(kern.Code.Counts, issued)
	timed, err := l.Timed(wholeLaunch(l), follows)
	s.machine.Store.Faults = faults
	if err != nil {
		return nil, err
	}
	if !sameWork(timed.Instructions(), c.Instructions()) {
		issuedOf(kern.Code)
		copy(kern.Code.Counts, counted)
		return nil, nil
	}
	timed.OutOfBounds = c.OutOfBounds
	return timed, nil
}

// written is the memory that a kernel may write.
func written(k *cu.KernelLaunch) [][]byte {
	list, _ := k.Bindings.Written(k.Code.Program.Insts)
	return list
}

// mayPutBack says whether memory that a launch of so many instructions writes may be put back after it ran once more.
func (s *Sampler) mayRestore(written [][]byte, instructions uint64) bool {
	sum := uint64(0)
	for _, b := range written {
		sum += uint64(len(b))
	}
	return sum <= s.machine.FreeBytes() && mayRestoreBytes(sum, instructions)
}

// mayKeep says whether so many bytes may be put back after a second run of so many instructions.
func mayRestoreBytes(bytes, instructions uint64) bool {
	return float64(bytes) <= float64(maxRestoredBytes)*float64(instructions)
}

// sameWork says whether a second run did what the first one did, by their instructions.
func sameWork(second, first uint64) bool {
	return math.Abs(float64(second)-float64(first)) <= maxInstructionDifference*float64(first)
}
