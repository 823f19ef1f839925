package sampled

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// byGenerations are the members of a stratum of launches that were not timed, by their step and their generations.
type byGenerations map[int]map[int]members

func (b *byGenerations) add(step, generations int, instructions uint64) {
	if *b == nil {
		*b = byGenerations{}
	}
	if (*b)[step] == nil {
		(*b)[step] = map[int]members{}
	}
	m := (*b)[step][generations]
	(*b)[step][generations] = members{m.n + 1, m.instructions + instructions}
}

// wholeGenerations are the generations of which the last may be a part of one.
func wholeGenerations(generations float64) int { return int(math.Ceil(generations - 1e-9)) }

// costOf is what the members of a step that were not timed take, and half the width of its interval: those of as many generations together, as
// the time of launches is not in proportion to their size.
func (a *alike) costOf(step int) (cycles, half float64) {
	n, rest := a.count[step], a.rest[step]
	add := func(m members) {
		took, width := a.cost(float64(m.n), float64(m.instructions))
		cycles, half = cycles+took, half+width
		n, rest = n-m.n, rest-m.instructions
	}
	list := a.byGenerations[step]
	for _, generations := range slices.Sorted(maps.Keys(list)) {
		add(list[generations])
	}
	if n > 0 {
		add(members{n, rest})
	}
	return cycles, half
}

// effective is the size of a launch of so many instructions as its time goes by it. Where each generation of workgroups begins as the one before
// ends, the last one takes as long as the others, whether it is whole or not (wave quantization).
func (a *alike) effective(instructions float64) float64 {
	if a.quantized == 0 || a.like.generations == 0 {
		return instructions
	}
	perGeneration := a.like.size / a.like.generations
	generations := instructions / perGeneration
	return perGeneration * ((1-a.quantized)*generations + a.quantized*float64(wholeGenerations(generations)))
}

// A sized is what launches of one effective size took.
type sized struct {
	size, cycles float64
	n            float64 // samples
}

// bySize is what a launch of so many instructions takes by the samples nearest to it in effective size, of this stratum and of those that differ
// from it in size alone: the smaller a launch is, the longer it takes for an instruction. One sample may be left out. within: some are no larger, and
// some no smaller. open is how far off it may be where an instruction takes longer in larger launches: from some size on, a launch does not fit into a cache.
func (s *strata) bySize(a *alike, instructions float64, but *sample) (cycles, open float64, within, ok bool) {
	size, list := a.effective(instructions), s.sizedBut(a, but)
	slices.SortStableFunc(list, func(x, y sized) int {
		return cmp.Compare(math.Abs(math.Log(x.size/size)), math.Abs(math.Log(y.size/size)))
	})
	smaller, larger := false, false
	for _, x := range list {
		smaller, larger = smaller || x.size <= size, larger || x.size >= size
	}
	if len(list) > 0 && a.quantized > 0 && list[0].size == size {
		return list[0].cycles, 0, true, true
	}
	for _, x := range list[min(1, len(list)):] {
		if by := x.size - list[0].size; math.Abs(by) > a.SizesApart*size {
			cycles = list[0].cycles + (size-list[0].size)*(x.cycles-list[0].cycles)/by
			return cycles, list[0].steps(x) * size / 2, smaller && larger, cycles > 0
		}
	}
	return 0, 0, false, false
}

// steps is by how much longer an instruction takes in the larger one of two launches; 0: it takes no longer.
func (x sized) steps(y sized) float64 {
	if x.size < y.size {
		x, y = y, x
	}
	return max(0, x.cycles/x.size-y.cycles/y.size)
}

// sizedBut are the samples that say what size does, but one: those of a quantized size together.
func (s *strata) sizedBut(a *alike, but *sample) (list []sized) {
	for _, b := range s.sizes(a) {
		for i := range b.warm() {
			x := &b.warm()[i]
			if x == but {
				continue
			}
			size := a.effective(x.instructions)
			k := slices.IndexFunc(list, func(o sized) bool { return a.quantized > 0 && o.size == size })
			if k < 0 {
				list = append(list, sized{size, x.cycles, 1})
				continue
			}
			o := &list[k]
			o.n++
			o.cycles += (x.cycles - o.cycles) / o.n
		}
	}
	return list
}

// sizes are the strata that differ from one in size alone.
func (s *strata) sizes(a *alike) []*alike {
	s.forget()
	list, ok := s.sized[a]
	if !ok {
		list = s.sizesOf(a)
		s.sized[a] = list
	}
	return list
}

func (s *strata) sizesOf(a *alike) (list []*alike) {
	for _, b := range s.list {
		x, y := a.like, b.like
		if x.size = y.size; x.distance(&y, s.Sampling) <= 1 {
			list = append(list, b)
		}
	}
	return list
}

// quantize looks for how much of what launches take goes by whole generations: what says best what each sample took by the others.
func (s *strata) quantize(a *alike) {
	if a.like.size == 0 || a.like.generations == 0 {
		return
	}
	list, n := s.sizes(a), 0
	for _, b := range list {
		n += len(b.warm())
	}
	if n < s.LeastQuantized || n > s.MostQuantized {
		return
	}
	best, least := 0.0, s.BetterQuantized*s.BetterQuantized*s.offBySize(list, 0)
	for _, part := range []float64{0.5, 0.75, 0.9, 1} {
		if off := s.offBySize(list, part); off < least {
			best, least = part, off
		}
	}
	for _, b := range list {
		b.quantized = best
	}
}

// offBySize is the sum of the squares by which samples differ from what the others say of their sizes, where so much of time goes by whole generations.
func (s *strata) offBySize(list []*alike, quantized float64) (squares float64) {
	for _, b := range list {
		b.quantized = quantized
	}
	for _, b := range list {
		samples := b.warm()
		for i := range samples {
			off := 1.0 // nothing is said
			if took, _, _, ok := s.bySize(b, samples[i].instructions, &samples[i]); ok {
				off = took/samples[i].cycles - 1
			}
			squares += off * off
		}
	}
	return squares
}
