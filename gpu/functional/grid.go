package functional

import "sync/atomic"

// A grid is a WorkSource of one launch, in the order of its workgroups.
type grid struct {
	*Grid
	next atomic.Uint64
	end  uint64
}

func newGrid(g *Grid) *grid {
	n := uint64(g.Groups[0]) * uint64(g.Groups[1]) * uint64(g.Groups[2])
	out := &grid{Grid: g, end: n}
	if g.End != 0 {
		out.end = min(g.End, n)
	}
	out.next.Store(g.First)
	return out
}

// Next implements WorkSource.
func (g *grid) Next(bool) (k *Kernel, wg Workgroup, found, later bool) {
	i := g.next.Add(1) - 1
	if i >= g.end {
		return nil, wg, false, false
	}
	wg = Workgroup{Index: i, ID: WorkgroupID(i, g.Groups), Count: g.Groups}
	for k, base := range g.Base {
		wg.ID[k] += base
	}
	if g.Fragments != nil {
		wg.Fragments = &g.Fragments[i]
	}
	return g.Kernel, wg, true, false
}

// WorkgroupEnded implements WorkSource.
func (g *grid) WorkgroupEnded(*Workgroup) {}

// WorkgroupID returns the id of workgroup i of a grid: i = x + X*(y + Y*z).
func WorkgroupID(i uint64, groups [3]uint32) [3]uint32 {
	x, y := uint64(groups[0]), uint64(groups[1])
	return [3]uint32{uint32(i % x), uint32(i / x % y), uint32(i / x / y)}
}
