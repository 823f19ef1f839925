package opt

import (
	"spvsim/isa"
	"spvsim/program/ir"
)

// Where buffers are pointers, the compiler is LLVM. It puts several trips of a loop whose constant number of trips is too
// large for full unrolling into one (partial unrolling), so that one test serves several trips and their loads are in flight
// at once: as many as partialThreshold admits, and a divisor of the trips. A loop whose trips are not known it leaves, unless
// it is one over the LDS (AMDGPUTTIImpl::getUnrollingPreferences).
const (
	// partialThreshold bounds the cost of the unrolled body, backEdgeCost is that of the branch back, which copies do
	// not have: C: LLVM LoopUnrollPass.cpp, UnrollPartialThreshold; its 2 for the test, and 3 more on AMDGPU.
	partialThreshold = 150
	backEdgeCost     = 5
	// maxCounted bounds the trips that are counted.
	maxCounted = 4096
)

// partialUnroll lets an iteration of innermost loops make several trips.
func partialUnroll(f *ir.Func, o Options) bool {
	if !o.SelectBuffers {
		return false
	}
	g := newGraph(f)
	u, words := newUses(f), findSuperwords(f)
	changed := false
	plan := func(l *loop) (p unrolling) {
		if onlyExit(g, l) == l.header {
			if p.last = tripsAtOnce(g, l, u, words); p.last > 1 {
				p.exit = l.header
			}
		}
		return p
	}
	for _, c := range copiers(f, g, u, plan) {
		c.repeat(c.last)
		changed = true
	}
	return changed
}

// tripsAtOnce returns how many trips LLVM puts into one.
func tripsAtOnce(g *graph, l *loop, u *uses, words *superwords) int {
	n := (partialThreshold - backEdgeCost) / max(llvmCost(l, u, words), 1)
	if n < 2 {
		return 1
	}
	trips := simulate(g, l, l.header, maxCounted, nil)
	for n = min(n, trips); n > 1 && trips%n > 0; {
		n--
	}
	return n
}

// llvmCost is the size of a loop without its branch back, as LLVM's cost model for AMDGPU has it (GCNTTIImpl): an access of
// several elements is one instruction, the steps of its address are none, nor are products that are added; a packed pair is
// one, a product of integers two, and a division ten.
func llvmCost(l *loop, u *uses, words *superwords) (n int) {
	for b := range l.blocks {
		last := uint32(0)
		for _, v := range b.Code {
			switch {
			case literal(v), v.Op == isa.Proj, scalesAddress(v, u), words.first[v.ID] != nil, fuses(v, u):
			case v.Mem != nil && v.SPIRV != 0 && v.SPIRV == last: // another element
			case v.Op == isa.FDiv:
				n += 10
			case v.Op == isa.IMul:
				n += 2
			default:
				n++
			}
			if v.Mem != nil {
				last = v.SPIRV
			}
		}
	}
	return n
}

// fuses reports a product whose one use adds to it.
func fuses(v *ir.Value, u *uses) bool {
	if v.Op != isa.FMul || v.NoContract || len(u.users(v)) != 1 {
		return false
	}
	w := u.users(v)[0]
	return (w.Op == isa.FAdd || w.Op == isa.FSub) && !w.NoContract
}

// repeat lets each iteration make several trips: copies of the loop's blocks, without their test, follow the latch.
func (c *copier) repeat(trips int) {
	h := c.l.header
	back := predOf(h, c.l.latch)
	from, first := c.l.latch, h // the latch goes on to the first copy when all are made
	next := make([]*ir.Value, len(h.Phis))
	for i, phi := range h.Phis {
		next[i] = phi.Args[back]
	}
	for range trips - 1 {
		clear(c.values)
		for i, phi := range h.Phis {
			c.values[phi] = next[i]
		}
		c.copyBlocks()
		n := c.blockOf(h)
		n.Preds = []*ir.Block{from}
		if first == h {
			first = n
		} else {
			from.Succs = redirect(from.Succs, h, n)
		}
		c.decide(false)
		from = c.blockOf(c.l.latch)
		for i, phi := range h.Phis {
			next[i] = c.valueOf(phi.Args[back])
		}
	}
	for i, phi := range h.Phis {
		phi.Args[back] = next[i]
	}
	c.l.latch.Succs = redirect(c.l.latch.Succs, h, first)
	h.Preds[back], h.Continue, h.Unroll = from, from, keepLoop
}
