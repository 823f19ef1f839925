package sampled

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"spvsim/account"
)

// Rows are those of workgroups, of all large launches of a kind, that are timed while others run without time.
type rows struct {
	strata
	least   float64          // half the interval that is added, of what windows can't show
	borders map[int][]border // by step
	unclear []unclear
	late    map[int]overtime // by step
}

// A border is somewhere among instructions that ran without time: workgroups before them were of another stratum than those after them.
type border struct {
	from, to     *alike
	instructions float64
}

// known says whether samples were taken, of launches before.
func (r *rows) known() bool {
	return slices.ContainsFunc(r.list, func(a *alike) bool { return len(a.samples) > 0 })
}

// crossed takes a border down: half of the instructions count as of the one stratum, half as of the other.
func (r *rows) crossed(step int, b border) {
	if r.borders == nil {
		r.borders = map[int][]border{}
	}
	r.borders[step] = append(r.borders[step], b)
	half := uint64(b.instructions / 2)
	b.from.rest[step] -= half
	b.to.rest[step] += half
}

// open is what a border leaves open: it may be anywhere, and what comes after it finds caches and queues as those before left them.
func (r *rows) open(b border) float64 {
	x, _ := r.rate(b.from)
	y, _ := r.rate(b.to)
	return account.Confidence * b.instructions * math.Abs(x-y)
}

// rate is that of a stratum, or what it is taken to be. It is between that of windows and as much more as all pieces ask more than those that were timed.
func (r *rows) rate(a *alike) (rate, half float64) {
	if a = cmp.Or(a.as, a); len(a.samples) == 0 {
		return r.unsampled(&a.like, 1)
	}
	rate, half = a.cost(0, 1)
	rate, half = a.drained(rate, half, 1)
	return rate * (1 + a.drift()/2), half
}

// untimed hands on what workgroups without time are taken to cost, by stratum, and half the widths of the intervals.
func (r *rows) untimed(step int, add func(took, half float64)) {
	all, apart := 0.0, 0.0 // apart: what may err in one direction
	for _, a := range r.list {
		n := float64(a.rest[step])
		if n == 0 {
			continue
		}
		took, half := r.rate(a)
		took, half = took*n, half*n
		if all += took; len(a.samples) == 0 {
			apart, half = apart+half, 0
		}
		if apart += math.Abs(a.drift()) / 2 * took; a.like.demand.busiest() == demandUpdates {
			apart += r.Contended * took
		}
		add(took, half*a.apart(n))
	}
	late := r.late[step]
	add(late.cycles, late.half)
	moved, half := r.moved(step)
	add(moved, 0)
	add(0, apart+half)
	for _, b := range r.borders[step] {
		add(0, r.open(b))
	}
	add(0, r.least*all)
}

// Unclear windows may be of either of two strata that have like classes of instructions.
type unclear struct {
	a, b    *alike // b nil: of a, or of what was not looked at
	windows sample
	n       int
}

// eitherOf takes such a window down.
func (r *rows) eitherOf(a, b *alike, x sample) {
	for i := range r.unclear {
		if u := &r.unclear[i]; u.a == a && u.b == b || u.a == b && u.b == a {
			u.windows, u.n = u.windows.and(x), u.n+1
			return
		}
	}
	r.unclear = append(r.unclear, unclear{a, b, x, 1})
}

// moved is by how much more workgroups without time are taken to take, and half the width of the interval of that, as unclear windows show something
// else than the samples of their strata: what both strata take together is a mean of the two, by how many windows and samples there are.
func (r *rows) moved(step int) (more, half float64) {
	for _, u := range r.unclear {
		took, n, samples := 0.0, 0.0, 0
		for _, a := range []*alike{u.a, u.b} {
			if a != nil {
				rate, _ := r.rate(a)
				took, n, samples = took+rate*float64(a.rest[step]), n+float64(a.rest[step]), samples+len(a.samples)
			}
		}
		off := (u.windows.rate()*n - took) * float64(u.n) / float64(u.n+samples)
		more, half = more+off, half+math.Abs(off)
	}
	return more, half
}

// notSampled says why no sample was taken of what a step ran without time, where that takes a part of its cycles that matters.
func (r *rows) notSampled(step int, cycles float64) (list []account.NotSampled) {
	for _, a := range r.list {
		n := a.rest[step]
		near, _ := r.nearest(&a.like, true)
		if n == 0 || len(a.samples) > 0 || near == nil {
			continue
		}
		if rate, _ := r.rate(a); rate*float64(n) < r.WorthSaying*cycles {
			continue
		}
		list = append(list, account.NotSampled{Instructions: n, Reason: a.unlike(near) + r.why()})
	}
	return list
}

// unlike says what a signature has that the one nearest to it has not.
func (a *alike) unlike(near *alike) string {
	if d := a.like.mix.distance(&near.like.mix); d > a.OtherMix {
		return fmt.Sprintf("%.0f %% of them are of other classes than in what was timed", 100*d)
	}
	x, y := &a.like.demand, &near.like.demand
	part := x.furthest(y)
	return fmt.Sprintf("each asks %.3g cycles of %s, in what was timed %.3g", x[part], demandName(part), y[part])
}

// why says why nothing was timed of what is unlike the rest.
func (r *rows) why() string {
	if r.share > r.Share {
		return fmt.Sprintf("; %.0f %% of the workgroups were timed already (sampling.share is %g)", 100*r.share, r.Share)
	}
	return "; they are too few to hold a window"
}

// unsampled is what instructions are taken to cost of a signature that was never timed: something between as much as those of the
// one nearest to it, and as much longer as what bounds them works for an instruction. The interval holds both, and more the further signatures are apart.
func (s *strata) unsampled(x *signature, instructions float64) (cycles, half float64) {
	a, distance := s.nearest(x, true)
	switch {
	case a == nil && s.alone.instructions == 0:
		return 0, 0
	case a == nil:
		cycles = s.alone.rate() * instructions
		return cycles, cycles / 2
	}
	mean, half := a.cost(0, instructions)
	other := mean
	longest := func(d *demand) float64 { return d[d.busiest()] }
	if was := longest(&a.like.demand); was > 0 {
		other = mean * longest(&x.demand) / was
	}
	return (mean + other) / 2, math.Hypot(half, math.Abs(other-mean)/2+mean*min(s.OtherDemand*distance, 1)/2)
}
