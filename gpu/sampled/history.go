package sampled

import (
	"slices"

	"spvsim/account"
	"spvsim/cu"
)

// A history records preceding launches, which determine what the next launch finds in the caches.
type history struct {
	last     preceding   // the last launch
	cached   preceding   // its lines are in the caches
	uncached []preceding // launches after it that ran without warming, oldest first
	replayed uint64      // instructions of replays
}

// A preceding launch is an entry of the history.
type preceding struct {
	launch    SampledLaunch
	kernel    *cu.KernelLaunch // nil: cannot be replayed
	signature signature
	base      *stratum // first stratum of its behaviour
	cached    bool     // it ran with timing or functional warming
}

// Limits of replays (docs/model/sampling.md, A window).
const (
	replayedSizes     = 2.4 // bytes requested by replayed launches, over the last level's size
	maxSizeDifference = 0.1 // relative difference in size of launches that leave equivalent lines
	maxReplayedShare  = 0.5 // of all functional instructions
)

// maxUncached limits the launches that are recorded; the older half is dropped. Knob.
const maxUncached = 64

// record appends a launch.
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

// otherPreceding returns the stratum of the last launch if its behaviour differs from x; nil if it is the same or
// unknown.
func (h *history) otherPreceding(x *signature, s *Sampler) *stratum {
	if h.last.base == nil || x.sameBehaviour(&h.last.signature, s.Sampling) {
		return nil
	}
	return h.last.base
}

// cachesMatch reports whether the caches hold lines equivalent to those that the last launches would have left: each
// launch since the cached one is equivalent to it.
func (h *history) cachesMatch(s *Sampler) bool {
	return !slices.ContainsFunc(h.uncached, func(p preceding) bool { return !h.cached.leavesLinesOf(&p, s) })
}

// leavesLinesOf reports whether two launches leave equivalent lines: their memory and behaviour are the same, and their
// sizes differ by at most 10 %.
func (p *preceding) leavesLinesOf(o *preceding, s *Sampler) bool {
	x, y := &p.signature, &o.signature
	return p.kernel != nil && p.kernel.Bindings.Equal(o.kernel.Bindings) && x.sameBehaviour(y, s.Sampling) && max(x.size/y.size, y.size/x.size) <= 1+maxSizeDifference
}

// replayPreceding replays the launches before kern with functional warming, so that a timed run of kern finds their
// lines (bounded functional warming). From the newest back, it selects launches that request replayedSizes × the last
// level's size in total; of the oldest, it replays only the last workgroups. The selection ends before a launch that
// would raise replayed instructions above maxReplayedShare, or of the same kernel and memory as kern, because a
// functional run leaves more of the lines with which kern begins than a timed run. The newest launch is always replayed,
// unless its written memory cannot be restored: the caches then remain those of the last launch that was. If the caches
// match already, nothing runs.
func (s *Sampler) replayPreceding(kern *cu.KernelLaunch) error {
	h := &s.history
	if h.cachesMatch(s) {
		return nil
	}
	first, left, cached := len(h.uncached), replayedSizes, 0
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
		written := written(p.kernel)
		if !s.mayRestore(written, uint64(p.signature.size)) {
			continue
		}
		if err := p.replay(s, written, from); err != nil {
			return err
		}
		cached = first + i + 1
	}
	if cached > 0 {
		h.cached, h.uncached = h.uncached[cached-1], h.uncached[cached:]
	}
	return nil
}

// sameKernelAndMemory reports whether two launches have equal programs and bindings.
func sameKernelAndMemory(k, o *cu.KernelLaunch) bool {
	return k.Code == o.Code && k.Bindings.Equal(o.Bindings)
}

// replay runs a launch again with functional warming, from the share `from` of its workgroups on, then restores memory
// and counts.
func (p *preceding) replay(s *Sampler, written [][]byte, from float64) error {
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
