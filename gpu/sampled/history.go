package sampled

import (
	"slices"

	"spvsim/account"
	"spvsim/cu"
)

// A history is what is known of the launches before the one at hand, as far as it matters for what that finds in the caches.
type history struct {
	last     preceding   // launch
	cached   preceding   // whose lines the caches hold
	uncached []preceding // those after it, of which the caches hold nothing, oldest first
	replayed uint64      // instructions of launches that ran once more
}

// A preceding launch comes before another one.
type preceding struct {
	launch    SampledLaunch
	kernel    *cu.KernelLaunch // nil: not one that may run again
	signature signature
	base      *stratum // the stratum of its signature
	cached    bool     // the caches hold its lines
}

// Constants of replays, as docs/model/sampling.md gives them.
const (
	replayedSizes     = 2.4 // sizes of the last level
	maxSizeDifference = 0.1 // relative difference in size of launches that leave other lines
	maxReplayedShare  = 0.5 // instructions that run again, as a share of those that ran without time
)

// maxSince is how many launches are kept. Knob.
const maxUncached = 64

// ran adds a launch.
func (h *history) record(p preceding) {
	if h.last = p; p.cached {
		h.cached, h.uncached = p, nil
		return
	}
	if len(h.uncached) == maxUncached {
		h.uncached = slices.Clone(h.uncached[maxUncached/2:])
	}
	h.uncached = append(h.uncached, p)
}

// after is the stratum of the launch before, if that asks for something else; nil: it is like the launch at hand, or not known.
func (h *history) otherPreceding(x *signature, s *Sampler) *stratum {
	if h.last.base == nil || x.sameBehaviour(&h.last.signature, s.Sampling) {
		return nil
	}
	return h.last.base
}

// fits says whether the caches hold the lines of the last launch, or of one like it and those since, of about their size and on the same memory.
func (h *history) cachesMatch(s *Sampler) bool {
	return !slices.ContainsFunc(h.uncached, func(p preceding) bool { return !h.cached.leavesLinesOf(&p, s) })
}

// serves says whether what the caches hold of a launch is what another one leaves in them.
func (p *preceding) leavesLinesOf(o *preceding, s *Sampler) bool {
	x, y := &p.signature, &o.signature
	return p.kernel != nil && p.kernel.Bindings.Equal(o.kernel.Bindings) && x.sameBehaviour(y, s.Sampling) && max(x.size/y.size, y.size/x.size) <= 1+maxSizeDifference
}

// bringBack runs the launches before the one at hand once more without time, so that the caches hold their lines as they would if they had been timed:
// as many as fill the last level, if all those that ran again stay a part of what ran, and back to one of the same program on the same memory. Without
// time, workgroups come one after the other: the lines that such a launch leaves are those with which many of the one at hand begin, and fewer with time.
// It does not where the caches fit.
func (s *Sampler) replayPreceding(kern *cu.KernelLaunch) error {
	h := &s.history
	if h.cachesMatch(s) {
		return nil
	}
	first, left := len(h.uncached), replayedSizes
	for instructions := h.replayed; first > 0 && left > 0; first-- {
		p := &h.uncached[first-1]
		instructions += uint64(p.signature.size)
		if first < len(h.uncached) && (float64(instructions) > maxReplayedShare*float64(s.machine.Functional.Executed()) || sameKernelAndMemory(p.kernel, kern)) {
			break
		}
		left -= s.capacities.lastLevelSizes(&p.signature)
	}
	for i := range h.uncached[first:] {
		p := &h.uncached[first+i]
		from := 0.0
		if i == 0 && left < 0 {
			from = -left / s.capacities.lastLevelSizes(&p.signature)
		}
		if err := p.replay(s, from); err != nil {
			return err
		}
	}
	h.last.cached, h.cached, h.uncached = true, h.last, nil
	return nil
}

// repeats says whether a launch is of the same program as another one, on the same memory.
func sameKernelAndMemory(k, o *cu.KernelLaunch) bool {
	return k.Code == o.Code && k.Bindings.Equal(o.Bindings)
}

// onceMore runs a launch from a part of its workgroups on once more without time. Memory and counts are as before then. It does not where what it
// writes is too much to put back.
func (p *preceding) replay(s *Sampler, from float64) error {
	written := written(p.kernel)
	if !s.mayRestore(written, uint64(p.signature.size)) {
		return nil
	}
	counted := append([]account.InstCount(nil), issuedOf(p.kernel.Code)...)
	s.beforeReplay.save(written)
	part := wholeLaunch(p.launch)
	part.First = uint64(from * float64(part.End))
	s.machine.Hierarchy.KernelBoundary()
	instructions, err := s.machine.Functional.Uncounted(func() error {
		_, err := p.launch.Functional(part, true)
		return err
	})
	s.history.replayed += instructions
	s.beforeReplay.restore(written)
	issuedOf(p.kernel.Code)
	copy(p.kernel.Code.Counts, counted)
	return err
}
