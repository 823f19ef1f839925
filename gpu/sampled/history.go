package sampled

import (
	"slices"

	"spvsim/account"
	"spvsim/cu"
)

// A history is what is known of the launches before the one at hand, as far as it matters for what that finds in the caches.
type history struct {
	last  preceding   // launch
	held  preceding   // whose lines the caches hold
	since []preceding // those after it, of which the caches hold nothing, oldest first
	again uint64      // instructions of launches that ran once more
}

// A preceding launch comes before another one.
type preceding struct {
	launch SampledLaunch
	kernel *cu.KernelLaunch // nil: not one that may run again
	like   signature
	base   *stratum // the stratum of its signature
	held   bool     // the caches hold its lines
}

// Constants of replays, as docs/model/sampling.md gives them.
const (
	filled     = 2.4 // sizes of the last level
	sizesApart = 0.1 // relative difference in size of launches that leave other lines
	mostAgain  = 0.5 // instructions that run again, as a share of those that ran without time
)

// maxSince is how many launches are kept. Knob.
const maxSince = 64

// ran adds a launch.
func (h *history) ran(p preceding) {
	if h.last = p; p.held {
		h.held, h.since = p, nil
		return
	}
	if len(h.since) == maxSince {
		h.since = slices.Clone(h.since[maxSince/2:])
	}
	h.since = append(h.since, p)
}

// after is the stratum of the launch before, if that asks for something else; nil: it is like the launch at hand, or not known.
func (h *history) after(x *signature, s *Sampler) *stratum {
	if h.last.base == nil || x.alike(&h.last.like, s.Sampling) {
		return nil
	}
	return h.last.base
}

// fits says whether the caches hold the lines of the last launch, or of one like it and those since, of about their size and on the same memory.
func (h *history) fits(s *Sampler) bool {
	return !slices.ContainsFunc(h.since, func(p preceding) bool { return !h.held.serves(&p, s) })
}

// serves says whether what the caches hold of a launch is what another one leaves in them.
func (p *preceding) serves(o *preceding, s *Sampler) bool {
	x, y := &p.like, &o.like
	return p.kernel != nil && p.kernel.Bindings.Equal(o.kernel.Bindings) && x.alike(y, s.Sampling) && max(x.size/y.size, y.size/x.size) <= 1+sizesApart
}

// bringBack runs the launches before the one at hand once more without time, so that the caches hold their lines as they would if they had been timed:
// as many as fill the last level, if all those that ran again stay a part of what ran, and back to one of the same program on the same memory. Without
// time, workgroups come one after the other: the lines that such a launch leaves are those with which many of the one at hand begin, and fewer with time.
// It does not where the caches fit.
func (s *Sampler) bringBack(hand *cu.KernelLaunch) error {
	h := &s.history
	if h.fits(s) {
		return nil
	}
	first, left := len(h.since), filled
	for instructions := h.again; first > 0 && left > 0; first-- {
		p := &h.since[first-1]
		instructions += uint64(p.like.size)
		if first < len(h.since) && (float64(instructions) > mostAgain*float64(s.machine.Functional.Executed()) || repeats(p.kernel, hand)) {
			break
		}
		left -= s.capacities.fills(&p.like)
	}
	for i := range h.since[first:] {
		p := &h.since[first+i]
		from := 0.0
		if i == 0 && left < 0 {
			from = -left / s.capacities.fills(&p.like)
		}
		if err := p.onceMore(s, from); err != nil {
			return err
		}
	}
	h.last.held, h.held, h.since = true, h.last, nil
	return nil
}

// repeats says whether a launch is of the same program as another one, on the same memory.
func repeats(k, o *cu.KernelLaunch) bool { return k.Code == o.Code && k.Bindings.Equal(o.Bindings) }

// onceMore runs a launch from a part of its workgroups on once more without time. Memory and counts are as before then. It does not where what it
// writes is too much to put back.
func (p *preceding) onceMore(s *Sampler, from float64) error {
	written := written(p.kernel)
	if !s.mayPutBack(written, uint64(p.like.size)) {
		return nil
	}
	counted := append([]account.InstCount(nil), issuedOf(p.kernel.Code)...)
	s.kept.keep(written)
	part := whole(p.launch)
	part.First = uint64(from * float64(part.End))
	s.machine.Hierarchy.KernelBoundary()
	did, err := s.machine.Functional.Uncounted(func() error {
		_, err := p.launch.Functional(part, true)
		return err
	})
	s.history.again += did
	s.kept.putBack(written)
	issuedOf(p.kernel.Code)
	copy(p.kernel.Code.Counts, counted)
	return err
}
