package gpu

import (
	"math"

	"spvsim/account"
	"spvsim/config"
	"spvsim/isa"
	"spvsim/mem"
	"spvsim/scheduler"
	"spvsim/simd"
)

// mayRunTwice says of a kernel that it may be run once more with time when it has run without: what it changes is known and can be
// put back, and none of its workgroups waits for another.
func (s *sampler) mayRunTwice(k *kernel) bool {
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
	case simd.PathPrint, simd.PathClock, simd.PathPayload, simd.PathRelease:
		return false
	}
	m := in.Mem
	switch {
	case m == nil || m.Space == isa.SpaceLDS || m.Space == isa.SpaceScratch:
		return true
	case in.Op >= isa.AtomicLoad && in.Op <= isa.AtomicFMax:
		return in.Dst.Kind == isa.None
	}
	return !m.Coherent
}

// runLooked runs a launch without time, and if its signature asks for a sample, once more with time on the memory that it left; then
// memory is as the first run left it.
func (s *sampler) runLooked(k *kind, l *launch, kern *kernel, follows bool) error {
	if k.seen++; k.seen == 1 { // it finds nothing in the caches, and looking would bring its lines in
		return s.clocked(l, whole(kern), follows)
	}
	issued := append([]account.InstCount(nil), issuedOf(kern.Code)...)
	c, x, err := s.look(l, kern)
	if err != nil {
		if c != nil {
			s.tally.add(l.step, c)
		}
		return err
	}
	a := k.launches.of(&x)
	if k.launches.wants(a) {
		timed, err := s.again(l, kern, c, issued, follows)
		if err != nil {
			return err
		}
		if timed != nil {
			s.tally.add(l.step, timed)
			k.launches.sampled(a, sample{float64(timed.Cycles), float64(timed.Instructions())}, s.draw)
			return nil
		}
		k.inTurn = true
	}
	s.untimedMember(a, l, c)
	return nil
}

// issuedOf are the counts of a program's instructions.
func issuedOf(c *simd.Code) []account.InstCount {
	c.Gather()
	return c.Counts
}

// look runs a launch without time. Some of its workgroups, at a place that is drawn, bring their lines into the caches, which
// shows what they ask of memory.
func (s *sampler) look(l *launch, kern *kernel) (*account.Counts, signature, error) {
	all := groups(kern.NumWorkgroups)
	detail := detailOf(all, s.Sampling)
	first := s.draw.Uint64N(all - detail + 1)
	var sum account.Counts
	var x signature
	for _, p := range []scheduler.Part{{First: 0, End: first}, {First: first, End: first + detail}, {First: first + detail, End: all}} {
		if p.First == p.End {
			continue
		}
		inDetail := p.First == first
		c, err := s.untimed.run(l.work, p, inDetail)
		if c != nil {
			sum.Add(c)
		}
		if err != nil {
			return &sum, x, err
		}
		if inDetail {
			x.demand = s.demand(c, kern)
		}
	}
	sum.Functional.Launches = 1
	x.mix, x.size = mixOf(&sum.ByClass), float64(sum.Instructions())
	return &sum, x, nil
}

// detailOf is how many of some workgroups show what they ask of memory.
func detailOf(all uint64, by *config.Sampling) uint64 {
	return max(all/uint64(by.Detail), min(all, 16))
}

// demand is what workgroups asked of the machine that ran last without time and brought their lines into the caches.
func (s *sampler) demand(c *account.Counts, w resident) (d demand) {
	fast, ok := s.timing.machine.hierarchy.(*mem.Fast)
	if !ok {
		return d
	}
	need := w.need()
	return s.capacities.demand(c, fast.Warmed(), s.untimed.ldsUnit, &need, s.timing.machine.limits)
}

// again runs a launch once more with time; nil: it did other work than at first, so that it does not count.
func (s *sampler) again(l *launch, kern *kernel, c *account.Counts, issued []account.InstCount, follows bool) (*account.Counts, error) {
	written, _ := kern.Bindings.Written(kern.Code.Program.Insts)
	kept, sum := make([][]byte, len(written)), uint64(0)
	for _, b := range written {
		sum += uint64(len(b))
	}
	if sum > s.timing.guard.host.left() || float64(sum) > maxKept*float64(c.Instructions()) {
		return nil, nil
	}
	for i, b := range written {
		kept[i] = append([]byte(nil), b...)
	}
	faults, counted := s.timing.machine.store.Faults, append([]account.InstCount(nil), issuedOf(kern.Code)...)
	copy(kern.Code.Counts, issued)
	timed, err := l.work.timed(s.timing, l.step, whole(kern), follows)
	for i, b := range written {
		copy(b, kept[i])
	}
	s.timing.machine.store.Faults = faults
	if err != nil {
		return nil, err
	}
	kern.count(timed, whole(kern))
	if a, b := float64(timed.Instructions()), float64(c.Instructions()); math.Abs(a-b) > sameWork*b {
		issuedOf(kern.Code)
		copy(kern.Code.Counts, counted)
		return nil, nil
	}
	timed.OutOfBounds = c.OutOfBounds
	return timed, nil
}

const (
	// maxKept bounds the bytes that are put back after a second run, for each instruction: copying them then costs
	// the host no more than timing does. Knob.
	maxKept = 2048
	// sameWork is by how much of its instructions a second run may differ and count as the same. Knob.
	sameWork = 0.01
)
