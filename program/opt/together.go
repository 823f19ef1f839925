package opt

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// A barrier with Imm 1 may be in control flow that some waves do not take, but every wave has to reach it, even with no
// active lane. So branches by which a whole wave would miss it are made divergent: lanes part, and the wave walks both
// ways.

// missing lists the conditions of such branches: one side can reach the barrier, the other can not and continues after
// it.
func (d *divergenceAnalysis) missing() []*ir.Value {
	var list []*ir.Value
	for at, b := range d.g.Blocks {
		if !hasWorkgroupBarrier(b) {
			continue
		}
		w := d.waysTo(at)
		for _, c := range d.g.Blocks[:at] {
			if c.Term != ir.Cond || c.Cond.Op == isa.Const {
				continue
			}
			x, y := w.viaEdge(c, c.Succs[0]), w.viaEdge(c, c.Succs[1])
			if x.reachesBarrier && !y.reachesBarrier && y.bypassesBarrier || y.reachesBarrier && !x.reachesBarrier && x.bypassesBarrier {
				list = append(list, c.Cond)
			}
		}
	}
	return list
}

func hasWorkgroupBarrier(b *ir.Block) bool {
	return slices.ContainsFunc(b.Code, func(v *ir.Value) bool { return v.Op == isa.Barrier && v.Imm == 1 })
}

// A way records where control can go in the present iteration of the loops around a place: to the place, or past it.
// The end of a wave is neither, because an ended wave takes no part in barriers.
type way struct{ reachesBarrier, bypassesBarrier bool }

type ways struct {
	d     *divergenceAnalysis
	place int
	memo  []way   // by place, up to at
	loops []*loop // around it
}

func (d *divergenceAnalysis) waysTo(at int) *ways {
	w := &ways{d: d, place: at, memo: make([]way, at+1)}
	w.memo[at] = way{reachesBarrier: true}
	for _, l := range d.g.loops {
		if l.has(at) {
			w.loops = append(w.loops, l)
		}
	}
	for i := at - 1; i >= 0; i-- {
		b := d.g.Blocks[i]
		for _, s := range b.Succs {
			x := w.viaEdge(b, s)
			w.memo[i].reachesBarrier = w.memo[i].reachesBarrier || x.reachesBarrier
			w.memo[i].bypassesBarrier = w.memo[i].bypassesBarrier || x.bypassesBarrier
		}
	}
	return w
}

// viaEdge returns where control can go by the edge from b to s. Leaving a loop around the place is neither: all waves run
// such a loop for the same number of iterations.
func (w *ways) viaEdge(b, s *ir.Block) way {
	g := w.d.g
	from, to := g.Position[b.ID], g.Position[s.ID]
	for _, l := range w.loops {
		if l.has(from) && !l.has(to) {
			return way{}
		}
	}
	switch {
	case to <= from: // a back edge of a loop around the place, or of one before it
		return way{bypassesBarrier: w.isEnclosingLoop(to)}
	case to <= w.place:
		return w.memo[to]
	}
	return way{bypassesBarrier: true}
}

func (w *ways) isEnclosingLoop(header int) bool {
	i := w.d.g.roundIn[header]
	return i >= 0 && w.d.g.Position[w.d.g.loops[i].header.ID] == header && w.d.g.loops[i].has(w.place)
}
