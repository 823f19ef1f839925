package judge

// The driver's code does not run, so the executions of its blocks are estimated from the
// blocks of the program here, which has run. Both come from one source: the driver keeps
// the order of loops, adds none, and unrolls some. So loops are paired in order, by the
// similarity of their accesses and then of their instructions; within a pair of loops, or
// outside of all loops, blocks are paired likewise.

// A region is a loop, or all of the code: blocks [first, end).
type region struct {
	first, end int
	inner      []*region
}

// regions returns the tree of loops of code in structured order. A loop extends from the target of a backward branch to the
// branch.
func regions(blocks []Block) *region {
	last := make([]int, len(blocks)) // end of the loop that starts at this block; 0: none does
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

// direct returns the blocks of a region outside of its inner loops.
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

// kinds counts the instructions of the region by kind.
func (r *region) kinds(blocks []Block) Counts {
	c := Code{Blocks: blocks[r.first:r.end]}
	return c.Static()
}

func (r *region) accesses(blocks []Block) (n [numAccesses]int) {
	for i := r.first; i < r.end; i++ {
		for a, c := range blocks[i].accesses {
			n[a] += c
		}
	}
	return n
}

// similarity returns the similarity of the accesses of two blocks or loops, from 0 to 1: the mean, over the kinds of access that
// either has, of 0 if only one has it, else 1/2 + 1/2 * smaller count / larger count. Wide accesses change counts, so that
// the presence of a kind is half of its score.
func similarity(a, b [numAccesses]int) float64 {
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

// likeness returns the likeness of two mixtures of instructions, from 0 to 1: what they have in common / what either has, by
// kind, without waits.
func likeness(a, b Counts) float64 {
	var same, all float64
	for k := range a {
		if Kind(k) != Wait {
			same += min(a[k], b[k])
			all += max(a[k], b[k])
		}
	}
	if all == 0 {
		return 0
	}
	return same / all
}

// pair returns the pairs (i, j), ascending in both, with the largest sum of scores (an alignment by dynamic programming).
// partner[i] is -1 if i has none.
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

// Weigh sets Runs of the blocks of theirs from the blocks of like that they are paired with.
// like is the same shader by another compiler, best without unrolling. Weigh returns the
// number of loops of theirs without a partner: they count as one iteration each time that
// they are reached.
func Weigh(theirs, like *Code) (unknown int) {
	w := &weigher{driver: theirs.Blocks, counted: like.Blocks}
	w.region(regions(theirs.Blocks), regions(like.Blocks), like.Blocks[0].Runs)
	return w.unknown
}

// mixtureWeight is the weight of the likeness of instructions beside that of accesses, which both compilers have from the source.
const mixtureWeight = 0.25

// none is what a block without accesses has.
var none [numAccesses]int

// kinds counts the instructions of the block by kind.
func (b *Block) kinds() Counts {
	c := Code{Blocks: []Block{*b}}
	return c.Static()
}

type weigher struct {
	driver, counted []Block
	unknown         int
}

// region sets Runs of the blocks of t, which is paired with r and whose first block runs that often. r is nil if t has no
// partner.
func (w *weigher) region(t, r *region, runs float64) {
	if r == nil {
		for i := t.first; i < t.end; i++ {
			w.driver[i].Runs = runs
		}
		return
	}
	w.blocks(t, r, runs)
	// 0.01: all loops may be paired, with the lowest priority those that have nothing in common.
	loops := pair(len(t.inner), len(r.inner), func(i, j int) float64 {
		a, b := t.inner[i], r.inner[j]
		return 0.01 + similarity(a.accesses(w.driver), b.accesses(w.counted)) + mixtureWeight*likeness(a.kinds(w.driver), b.kinds(w.counted))
	})
	for i, l := range t.inner {
		if loops[i] < 0 {
			w.unknown++
			w.region(l, nil, w.runsBefore(t, l, runs))
			continue
		}
		source := r.inner[loops[i]]
		w.region(l, source, w.counted[source.first].Runs)
	}
}

// runsBefore returns the runs of the last block before loop l that is outside of t's inner loops; without one, runs.
func (w *weigher) runsBefore(t, l *region, runs float64) float64 {
	for _, i := range t.direct() {
		if i < l.first {
			runs = w.driver[i].Runs
		}
	}
	return runs
}

// blocks sets Runs of the blocks of t outside of its inner loops: those of the partner; without a partner, runs of the region if
// no branch skips the block, else those of the nearest block of the same construct with a partner, else the mean of the
// skippable blocks of r.
func (w *weigher) blocks(t, r *region, runs float64) {
	mine, source := t.direct(), r.direct()
	partner := pair(len(mine), len(source), func(i, j int) float64 {
		x, y := &w.driver[mine[i]], &w.counted[source[j]]
		if x.accesses != none || y.accesses != none {
			return similarity(x.accesses, y.accesses)
		}
		if skipped(w.driver, t, mine[i]) == 0 || skipped(w.counted, r, source[j]) == 0 {
			return 0
		}
		return mixtureWeight * likeness(x.kinds(), y.kinds())
	})
	rare := w.mean(r, source, runs)
	for n, i := range mine {
		known := nearest(w.driver, t, mine, partner, n)
		switch {
		case known >= 0:
			w.driver[i].Runs = w.counted[source[known]].Runs
		case skipped(w.driver, t, i) > 0:
			w.driver[i].Runs = rare
		default:
			w.driver[i].Runs = runs
		}
	}
}

// nearest returns the partner of the n-th block, or of the nearest block that as many branches skip, without a block
// between them that fewer branches skip; -1: none.
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
		if skipped(w.counted, r, j) > 0 {
			sum += w.counted[j].Runs
			n++
		}
	}
	if n == 0 {
		return runs
	}
	return sum / n
}

// skipped counts the branches of the region that skip the block.
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
