package judge

// How often the driver's blocks would run is not known: they do not run. But the
// blocks of a program of ours do, and both come from one source. Loops stand in the
// same order in both; the driver makes none of its own, and unrolls some. So loops are
// paired, in order, by what they access; within a pair, or outside all loops, blocks
// are paired by the accesses in them.

// A region is a loop, or the whole of the code: blocks [first, end).
type region struct {
	first, end int
	inner      []*region
}

// regions finds the loops of code that is in structured order: from the target of a branch back to that branch.
func regions(blocks []Block) *region {
	last := make([]int, len(blocks)) // end of the loop that starts here
	for i := range blocks {
		for _, s := range blocks[i].Succs {
			if s <= i {
				last[s] = max(last[s], i+1)
			}
		}
	}
	whole := &region{0, len(blocks), nil}
	open := []*region{whole}
	for i, end := range last {
		for i >= open[len(open)-1].end {
			open = open[:len(open)-1]
		}
		if end == 0 {
			continue
		}
		outer := open[len(open)-1]
		r := &region{i, min(end, outer.end), nil}
		outer.inner = append(outer.inner, r)
		open = append(open, r)
	}
	return whole
}

// direct are the blocks of a region that stand in none of its loops.
func (r *region) direct() (list []int) {
	at := r.first
	for _, l := range r.inner {
		for ; at < l.first; at++ {
			list = append(list, at)
		}
		at = l.end
	}
	for ; at < r.end; at++ {
		list = append(list, at)
	}
	return list
}

func (r *region) accesses(blocks []Block) (n [numAccesses]int) {
	for i := r.first; i < r.end; i++ {
		for a, c := range blocks[i].accesses {
			n[a] += c
		}
	}
	return n
}

// alike says how much two places access the same things, from 0 to 1: of each kind of access, the smaller number
// against the larger. Wide accesses make numbers differ, so that having some of a kind counts most.
func alike(a, b [numAccesses]int) float64 {
	var same, all float64
	for i := range a {
		if m := max(a[i], b[i]); m > 0 {
			all++
			if n := min(a[i], b[i]); n > 0 {
				same += 0.5 + 0.5*float64(n)/float64(m)
			}
		}
	}
	if all == 0 {
		return 0
	}
	return same / all
}

// pair finds the pairs (i, j), ascending in both, with the largest sum of scores; partner[i] is -1 where i has none.
func pair(n, m int, score func(i, j int) float64) (partner []int) {
	best := make([][]float64, n+1)
	for i := range best {
		best[i] = make([]float64, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if s := score(i, j); s > 0 {
				best[i][j] = max(best[i][j], s+best[i+1][j+1])
			}
		}
	}
	partner = make([]int, n)
	for i, j := 0, 0; i < n; {
		s := 0.0
		if j < m {
			s = score(i, j)
		}
		switch {
		case j < m && s > 0 && best[i][j] == s+best[i+1][j+1]:
			partner[i] = j
			i, j = i+1, j+1
		case j == m || best[i][j] == best[i+1][j]:
			partner[i] = -1
			i++
		default:
			j++
		}
	}
	return partner
}

// Weigh gives the blocks of theirs the runs of those of like that they represent; like
// is the same shader by another compiler, best with no loop unrolled. It returns
// the number of loops of theirs that like does not have: they count as run once for each time that they are reached.
func Weigh(theirs, like *Code) (unknown int) {
	w := &weigher{theirs: theirs.Blocks, like: like.Blocks}
	w.region(regions(theirs.Blocks), regions(like.Blocks), like.Blocks[0].Runs)
	return w.unknown
}

type weigher struct {
	theirs, like []Block
	unknown      int
}

// region weighs a region that represents r and whose first block runs so often; r is nil where none is known.
func (w *weigher) region(t, r *region, runs float64) {
	if r == nil {
		for i := t.first; i < t.end; i++ {
			w.theirs[i].Runs = runs
		}
		return
	}
	w.blocks(t, r, runs)
	// Loops without accesses pair as well, after those that have some.
	loops := pair(len(t.inner), len(r.inner), func(i, j int) float64 {
		return 0.01 + alike(t.inner[i].accesses(w.theirs), r.inner[j].accesses(w.like))
	})
	for i, l := range t.inner {
		if loops[i] < 0 {
			w.unknown++
			w.region(l, nil, w.before(t, l, runs))
			continue
		}
		source := r.inner[loops[i]]
		w.region(l, source, w.like[source.first].Runs)
	}
}

// before is how often the block runs that is before a loop, in none of the loops beside it.
func (w *weigher) before(t, l *region, runs float64) float64 {
	for _, i := range t.direct() {
		if i < l.first {
			runs = w.theirs[i].Runs
		}
	}
	return runs
}

// blocks weighs those outside of loops: by their partner; without one, as often as the region where every path leads
// through them, else as the nearest of the same construct that has one, else as the mean of ours that a path leads past.
func (w *weigher) blocks(t, r *region, runs float64) {
	mine, source := t.direct(), r.direct()
	partner := pair(len(mine), len(source), func(i, j int) float64 {
		return alike(w.theirs[mine[i]].accesses, w.like[source[j]].accesses)
	})
	rare := w.mean(r, source, runs)
	for n, i := range mine {
		known := nearest(w.theirs, t, mine, partner, n)
		switch {
		case known >= 0:
			w.theirs[i].Runs = w.like[source[known]].Runs
		case skipped(w.theirs, t, i) > 0:
			w.theirs[i].Runs = rare
		default:
			w.theirs[i].Runs = runs
		}
	}
}

// nearest is the partner of the n-th block, or of the nearest one that as many branches lead past, with none between
// them that fewer do; -1: there is none.
func nearest(blocks []Block, t *region, mine, partner []int, n int) int {
	depth := skipped(blocks, t, mine[n])
	if partner[n] >= 0 || depth == 0 {
		return partner[n]
	}
	for _, step := range []int{-1, 1} {
		for k := n + step; k >= 0 && k < len(mine); k += step {
			d := skipped(blocks, t, mine[k])
			if d < depth {
				break
			}
			if d == depth && partner[k] >= 0 {
				return partner[k]
			}
		}
	}
	return -1
}

func (w *weigher) mean(r *region, source []int, runs float64) float64 {
	sum, n := 0.0, 0.0
	for _, j := range source {
		if skipped(w.like, r, j) > 0 {
			sum += w.like[j].Runs
			n++
		}
	}
	if n == 0 {
		return runs
	}
	return sum / n
}

// skipped is how many branches within the region lead past the block.
func skipped(blocks []Block, r *region, at int) (n int) {
	for i := r.first; i < at; i++ {
		for _, s := range blocks[i].Succs {
			if s > at && s <= r.end {
				n++
			}
		}
	}
	return n
}
