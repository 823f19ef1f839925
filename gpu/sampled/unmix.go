package sampled

// parts are those of a window, each of one stratum: it may begin among workgroups of one and end among those of another, or hold some of both
// all along. What it is of shows in the classes of what was issued, by generations.
func (r *rows) parts(w *window) (list []timed) {
	first, last := &w.marks[0], &w.marks[len(w.marks)-1]
	whole, m := between(*first, *last), mixBetween(first, last)
	apart := m.distance(&w.stratum.like.mix)
	limit, one := r.OtherMix/2*max(1, w.stratum.like.blur.mix), true
	for from := 0; from < len(w.marks)-1; from += batchesOfGeneration {
		a, b := &w.marks[from], &w.marks[min(from+batchesOfGeneration, len(w.marks)-1)]
		m := mixBetween(a, b)
		one = one && m.distance(&w.stratum.like.mix) <= limit
		if whole := from+batchesOfGeneration < len(w.marks); whole || len(list) == 0 { // of less, the mix is not sure enough
			list = r.divide(list, w.stratum, &m, between(*a, *b))
		}
	}
	if one && apart <= limit {
		return []timed{{w.stratum, whole, false}}
	}
	n := 0
	for _, t := range list {
		if t.instructions >= r.LeastPart*whole.instructions {
			list[n] = t
			n++
		}
	}
	if list = list[:n]; n == 0 && apart <= r.OtherMix {
		list = []timed{{w.stratum, whole, true}}
	}
	return list
}

// divide adds a sample to the parts of one or two strata whose mixes make up its own. Each has the part of the cycles that it is expected to take by
// what is known of it: so the cycles of both together are those that were timed, also where one makes use of what the other leaves idle.
func (r *rows) divide(list []timed, a *alike, m *mix, x sample) []timed {
	a, b, f := r.unmix(a, m)
	if a == nil {
		return list
	}
	p, q := f*r.expected(a), (1-f)*r.expected(b)
	list = addPart(list, a, sample{x.cycles * p / (p + q), x.instructions * f})
	return addPart(list, b, sample{x.cycles * q / (p + q), x.instructions * (1 - f)})
}

func addPart(list []timed, a *alike, x sample) []timed {
	if x.instructions == 0 {
		return list
	}
	for i := range list {
		if t := &list[i]; t.alike == a {
			t.sample = t.sample.and(x)
			return list
		}
	}
	return append(list, timed{a, x, true})
}

// expected is what an instruction of a stratum is expected to take, but for a factor that is the same for all: what was timed of it, or as long
// as the part of the machine works that it asks most of, over what others take for that.
func (r *rows) expected(a *alike) float64 {
	longest := func(a *alike) float64 { return a.like.demand[a.like.demand.busiest()] }
	if len(a.samples) > 0 {
		rate := pooledRate(a.warm())
		return rate
	}
	took, worked := 0.0, 0.0
	for _, b := range r.list {
		for _, x := range b.samples {
			took, worked = took+x.cycles, worked+x.instructions*longest(b)
		}
	}
	if took == 0 || worked == 0 {
		took, worked = 1, 1
	}
	return max(longest(a), 1e-9) * took / worked
}

// unmix is the two strata whose mixes make up a mix best, and the part that the first one has in it: that one where it is near by itself, or one that is.
// Nil: none are near enough.
func (r *rows) unmix(like *alike, m *mix) (a, b *alike, f float64) {
	if like.like.mix.distance(m) <= r.OtherMix/2 {
		return like, like, 1
	}
	nearest := r.OtherMix / 2
	for _, x := range r.list {
		if d := x.like.mix.distance(m); d < nearest {
			a, b, f, nearest = x, x, 1, d
		}
	}
	if a != nil {
		return a, b, f
	}
	for _, x := range r.list {
		part := x.like.mix.partOf(m, &like.like.mix)
		between := like.like.mix.blend(&x.like.mix, 1-part)
		if d := between.distance(m); d < nearest && part > 0 && part < 1 {
			a, b, f, nearest = like, x, 1-part, d
		}
	}
	return a, b, f
}

// partOf is how much of a mix is m, where the rest is o: what is nearest to it by squares.
func (m *mix) partOf(of, o *mix) float64 {
	with, all := 0.0, 0.0
	for i := range m {
		d := m[i] - o[i]
		with, all = with+d*(of[i]-o[i]), all+d*d
	}
	if all == 0 {
		return 0
	}
	return min(max(with/all, 0), 1)
}

// blend is so much of a mix with the rest of another.
func (m *mix) blend(o *mix, part float64) (sum mix) {
	for i := range m {
		sum[i] = part*m[i] + (1-part)*o[i]
	}
	return sum
}
