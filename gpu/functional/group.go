package functional

import (
	"spvsim/isa"
	"spvsim/mem"
	"spvsim/simd"
)

// A group is a resident workgroup.
type group struct {
	wg      Workgroup
	kernel  *Kernel
	code    *code
	table   *table
	waves   []wave
	live    int // waves that have not ended
	waiting int // live waves at the barrier
	local   isa.Local
	cleared uint64 // the worker's ChangeCount of the LDS when local was cleared
	shared  simd.Workgroup
}

// beginWorkgroup returns a workgroup with cleared LDS, and with its waves at their first instruction.
func (k *worker) beginWorkgroup(kernel *Kernel, wg *Workgroup) *group {
	k.begunWorkgroups.Add(1)
	g := k.takeGroup()
	p := kernel.Program
	g.wg, g.kernel = *wg, kernel
	g.code, g.table = k.recent.codeOf(k, p)
	g.table.used = true
	g.shared = simd.Workgroup{Index: wg.Index, ID: wg.ID}
	n := waves(p.LocalSize, p.WaveSize)
	if c := kernel.Check; c != nil {
		g.shared.Check = c.Begin(p, wg.Index, wg.ID, n)
	}
	g.live, g.waiting = n, 0
	if n := int(p.LDSBytes); len(g.local.Bytes) != n || g.cleared != k.lds.ChangeCount {
		g.local.Bytes, g.cleared = resized(g.local.Bytes, n), k.lds.ChangeCount
	}
	g.local.Load = k.load
	for len(g.waves) < n {
		g.waves = append(g.waves, wave{})
	}
	g.waves = g.waves[:n]
	for i := range g.waves {
		k.beginWave(g, i)
	}
	return g
}

func (k *worker) beginWave(g *group, i int) {
	w, p := &g.waves[i], g.kernel.Program
	w.pc, w.status, w.length = 0, waveRuns, 0
	w.regs = g.table.registers(g.code, k.tmp)
	start := simd.Start{Workgroup: &g.shared, WaveInGroup: uint32(i), WavesInGroup: uint32(len(g.waves)),
		NumWorkgroups: g.wg.Count, Push: g.kernel.Bindings.Push, Node: g.wg.Node, Fragments: g.wg.Fragments}
	w.env.Bindings = g.kernel.Bindings
	if p.ScratchWords > 0 {
		if w.env.Scratch == nil {
			w.env.Scratch = &mem.Scratch{}
		}
		w.env.Scratch.Ready(int(p.ScratchWords), p.WaveSize)
		if list := g.kernel.Scratch; list != nil {
			w.env.Scratch.Addr = list[(int(g.wg.Index)*len(g.waves)+i)%len(list)].Addr
		}
	}
	start.Init(&w.state, p, *w.regs, k.run.clockMask)
	w.state.Local = &g.local
}

// waves returns the number of waves of a workgroup.
func waves(local [3]uint32, size int) int {
	n := int(local[0]) * int(local[1]) * int(local[2])
	return max((n+size-1)/size, 1)
}

// resized returns a slice of n zero elements, in the memory of s if it is large enough.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// visit runs the waves of a workgroup in turn until it has ended (over), a wave
// has used up its turn, or no wave makes progress. moved: some wave made progress.
func (k *worker) visit(g *group) (over, moved bool) {
	for {
		progress, long := false, false
		for i := range g.waves {
			w := &g.waves[i]
			if w.status != waveRuns {
				continue
			}
			before := k.clock
			why := k.runWave(g, w)
			w.length += k.clock - before
			if k.clock-k.reportedAt > progressInterval { // here too, because waves may loop over barriers without end
				k.reportProgress()
			}
			switch why {
			case arrived:
				g.waiting++
				progress = true
			case reachedEnd:
				g.live--
				k.counts.LongestWave = max(k.counts.LongestWave, w.length)
				g.table.free = append(g.table.free, w.regs)
				progress = true
			case outOfInstructions:
				long = true
			case failed:
				return false, false
			}
		}
		moved = moved || progress || long
		switch {
		case g.live == 0:
			return true, true
		case g.waiting == g.live:
			g.release()
		case !progress:
			return false, moved
		}
		if long || k.stopped() {
			return false, moved
		}
	}
}

// release lets the waves at the barrier run.
func (g *group) release() {
	g.waiting = 0
	for i := range g.waves {
		if w := &g.waves[i]; w.status == waveWaits {
			w.status = waveRuns
		}
	}
}
