package program

import (
	"sort"

	"spvsim/program/ir"
)

// A flow is a function's control flow in the order in which a wave visits its blocks.
//
// A wave walks the blocks in one linear order. Lanes that branch further ahead
// than the others wait in a mask of the block they wait for; when the walk
// reaches that block they join. With the blocks of a construct standing between
// its header and its merge block, every lane that left the header is back
// together at the merge: the reconvergence that SPV_KHR_maximal_reconvergence
// asks for.
type flow struct {
	*ir.Order
	reconverges []bool // place -> lanes may wait for this block
	from        []int  // place -> first place of the wave at which lanes may wait for this block
	full        []bool // place -> every lane of the immediate dominator arrives here

	pending lowest // from, of the places that lanes may wait for
}

func newFlow(f *ir.Func) *flow {
	fl := &flow{Order: ir.NewOrder(f)}
	fl.findFrom()
	fl.findWaiting()
	fl.findFull()
	return fl
}

// findFrom computes from. Lanes wait for a block only once its immediate
// dominator has run; where that is in a loop and the block after it, they
// may wait while the others are anywhere in a later iteration.
func (fl *flow) findFrom() {
	fl.from = append([]int(nil), fl.Idom...)
	loops, around := fl.loops()
	for k := range fl.from {
		for outer := true; outer; {
			at := fl.from[k]
			left := around[at]
			i := sort.Search(len(loops), func(i int) bool { return loops[i].head >= at }) - 1
			for ; left > 0 && i >= 0; i-- {
				if l := loops[i]; at <= l.latch {
					left--
					if l.latch < k {
						fl.from[k] = min(fl.from[k], l.head)
					}
				}
			}
			outer = fl.from[k] < at
		}
	}
}

// A backEdge goes from place latch to place head.
type backEdge struct{ head, latch int }

// loops lists the back edges by their heads. around counts, for each place, the loops that contain it other than as
// their head.
func (fl *flow) loops() (list []backEdge, around []int) {
	around = make([]int, len(fl.Blocks)+2)
	for h, b := range fl.Blocks {
		for _, p := range b.Preds {
			if latch := fl.Position[p.ID]; h <= latch {
				list = append(list, backEdge{h, latch})
				around[h+1]++
				around[latch+1]--
			}
		}
	}
	for i := 1; i < len(around); i++ {
		around[i] += around[i-1]
	}
	return list, around
}

// next returns the first block after place i, up to place limit, for which lanes may already wait when the wave is at
// i; -1 if none.
func (fl *flow) next(i, limit int) int { return fl.waiting(i, i, limit) }

// nextWithoutLanes is next for a wave that finds no lane at place i, so that block i does not run.
//
// No lane waits for a block k with from[k] = i then. Proof: i dominates k, as it
// is the immediate dominator of k or the header of a loop around that. So a lane
// that waits for k has run i, and the wave, which goes backward by back edges
// only, has since taken one from a latch after i to a header h up to i.
//   - h = i: lanes take it, they run i now, and the wave does find lanes at i.
//   - h < i, latch < k: findFrom has put from[k] at h or before. It is not i.
//   - h < i, latch >= k: the wave has come by k on its way to the latch, and
//     whoever waited there joined it, as no block that lanes wait for is left out.
//
// A wave that went on to such a k would run it with no lane, where k is full,
// and go round a loop that no lane is there to leave.
func (fl *flow) nextWithoutLanes(i int) int { return fl.waiting(i, i-1, len(fl.Blocks)) }

// waiting returns the first block between places i and limit for which lanes may wait if no block after place ran has
// run.
func (fl *flow) waiting(i, ran, limit int) int { return fl.pending.first(i+1, limit, ran) }

// findWaiting computes reconverges. Lanes wait for a block if a divergent branch to it continues elsewhere first, or if the
// way to it passes a block that lanes wait for.
func (fl *flow) findWaiting() {
	fl.reconverges = make([]bool, len(fl.Blocks))
	fl.pending = newLowest(len(fl.Blocks))
	for changed := true; changed; {
		changed = false
		mark := func(k int) {
			if !fl.reconverges[k] {
				fl.reconverges[k], changed = true, true
				fl.pending.set(k, fl.from[k])
			}
		}
		for i, b := range fl.Blocks {
			first := len(fl.Blocks)
			for _, s := range b.Succs {
				first = min(first, fl.Position[s.ID])
			}
			for _, s := range b.Succs {
				j := fl.Position[s.ID]
				if j <= i {
					continue
				}
				if divergent(b) && j != first || fl.next(i, j) >= 0 {
					mark(j)
				}
			}
		}
	}
}

// divergent reports a branch that lanes may leave in two directions.
func divergent(b *ir.Block) bool {
	return b.Term == ir.Cond && !uniform(b.Cond) && b.Succs[0] != b.Succs[1]
}

// findFull marks the blocks at which all lanes of the immediate dominator have
// arrived, so that the mask can't be empty there.
func (fl *flow) findFull() {
	fl.full = make([]bool, len(fl.Blocks))
	for x := 1; x < len(fl.Blocks); x++ {
		fl.full[x] = fl.from[x] == fl.Idom[x] && fl.closed(fl.Idom[x], x)
	}
}

// closed reports that control, once in [from, to), leaves it only to place to.
func (fl *flow) closed(from, to int) bool {
	for k := from; k < to; k++ {
		if !fl.Dominates(from, k) {
			return false
		}
		b := fl.Blocks[k]
		if len(b.Succs) == 0 {
			return false
		}
		for _, s := range b.Succs {
			if j := fl.Position[s.ID]; j > to || j < from {
				return false
			}
		}
	}
	return true
}
