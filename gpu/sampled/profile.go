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

// Limits of launches that run twice (docs/model/sampling.md, A window).
const (
	maxRestoredBytes         = 2048 // writable bytes an instruction
	maxInstructionDifference = 0.01 // relative; above it, the timed run is no sample
	profileFactor            = 4    // × detail: one workgroup in so many shows a launch's signature
	minProfiledWorkgroups    = 2    // workgroups of a block that warm the caches
)

// mayRunTwice reports whether a kernel may run functionally and then with timing: the memory that it writes is known,
// and can be restored, and its workgroups run independently.
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

// repeatable reports whether a second run of an instruction has no visible effect: it prints nothing, reads no clock,
// and waits for no other workgroup.
func repeatable(in *isa.Inst) bool {
	switch simd.PathOf(in) {
	case simd.PathPrint, simd.PathClock:
		return false
	}
	return !mayWait(in)
}

// mayWait reports whether workgroups may wait for each other by an instruction: node payloads, releases, atomics that
// return a value, and coherent accesses.
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

// runProfiled runs a launch functionally, which shows its signature. If the launch is drawn, memory is restored and the
// launch runs again with timing. The kind's first launch is timed without a profile, as it finds cold caches.
func (s *Sampler) runProfiled(k *kind, l SampledLaunch, kern *cu.KernelLaunch, follows bool) error {
	if k.undivided++; k.undivided == 1 {
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
	current := preceding{launch: l, kernel: kern, signature: x, base: h.base}
	defer func() { s.history.record(current) }()
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
		if current.cached = timed != nil; current.cached {
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

// timeFirst times the first launch of a kind. It is no sample of a stratum, as its signature is unknown.
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

// issuedOf returns the issue counts of a program's instructions.
func issuedOf(c *simd.Code) []account.InstCount {
	c.GatherCounts()
	return c.Counts
}

// profileLaunch runs a launch functionally, and returns its counts and its signature. A few workgroups, equal ones in
// launches of similar size, warm the caches, which shows their demand. Afterwards the caches are restored, because the
// lines of these workgroups would displace what a timed launch finds. cacheInsensitive: the caches' contents hardly
// affect the launch's time.
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
			coldMemory += n * s.capacities.coldMemoryDemand(c, s.machine.warmingStats())
		}
	}
	n := float64(max(profiled.Instructions(), 1))
	x.demand.scale(1 / n)
	sum.Functional.Launches = 1
	x.mix, x.size = mixOf(&sum.ByClass), float64(sum.Instructions())
	return &sum, x, x.demand.cacheInsensitive(coldMemory / n), nil
}

// A profiledPart is a range of workgroups; warms: they run with functional warming.
type profiledPart struct {
	scheduler.WorkgroupRange
	warms bool
}

// profiledParts divides a launch into blocks of b workgroups, the first b/d of which warm the caches, where d is
// profileFactor × detail, and b the largest power of two up to max(all/4, 2d). With 5000 workgroups and detail 32,
// 8 workgroups of each block of 1024 warm the caches.
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

// demand returns the demand of the last functional run with warming, whose counts are c; 0 unless the hierarchy is
// Analytic.
func (s *Sampler) demand(c *account.Counts, l SampledLaunch) (d demand) {
	fast, ok := s.machine.Hierarchy.(*hierarchy.Analytic)
	if !ok {
		return d
	}
	all, _ := l.Workgroups()
	waves := min(all, s.generation(l)) * uint64(l.Resources().Waves)
	return s.capacities.demand(c, fast.WarmingStats(), s.machine.Functional.LDSCycles(), waves)
}

// runTimedAgain restores memory and runs a launch again, with timing. c are the counts of the functional run, issued
// the program's issue counts before it. It returns nil if the timed run executed other work (sameWork), so that it is
// no sample.
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

// written returns the memory that a kernel may write.
func written(k *cu.KernelLaunch) [][]byte {
	list, _ := k.Bindings.Written(k.Code.Program.Insts)
	return list
}

// mayRestore reports whether the memory written by a launch may be copied and restored: the copy fits the host's free
// memory, and is small for the launch's instructions.
func (s *Sampler) mayRestore(written [][]byte, instructions uint64) bool {
	sum := uint64(0)
	for _, b := range written {
		sum += uint64(len(b))
	}
	return sum <= s.machine.FreeBytes() && mayRestoreBytes(sum, instructions)
}

// mayRestoreBytes reports whether a launch has instructions enough to pay for the copy: maxRestoredBytes for each.
func mayRestoreBytes(bytes, instructions uint64) bool {
	return float64(bytes) <= float64(maxRestoredBytes)*float64(instructions)
}

// sameWork reports whether the instructions of two runs of a launch differ by at most maxInstructionDifference.
func sameWork(second, first uint64) bool {
	return math.Abs(float64(second)-float64(first)) <= maxInstructionDifference*float64(first)
}
