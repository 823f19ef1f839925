package concurrent

import (
	"fmt"
	"spvsim/mem/hierarchy"

	"spvsim/mem"
)

// maxHazardLaunches bounds the search for hazards, which compares all pairs of launches that do not wait for each other.
const maxHazardLaunches = 1 << 12

// recordAccesses has unordered launches record their footprints, and all launches their traffic.
func (g *Launches) recordAccesses() {
	g.unordered = nil
	if g.hazards = len(g.launches) <= maxHazardLaunches; g.hazards {
		g.findUnordered()
	}
	for _, l := range g.launches {
		l.Footprint = nil
	}
	for _, pair := range g.unordered {
		for _, i := range pair {
			if l := g.launches[i]; l.Footprint == nil {
				l.Footprint = mem.NewFootprint()
			}
		}
	}
	for _, l := range g.launches {
		l.Traffic = &hierarchy.Traffic{}
		if k := l.Work.Kernel(); k != nil {
			k.Footprint, k.Traffic = l.Footprint, l.Traffic
		}
	}
}

// waitsFor returns for each launch the set of launches that it waits for, directly or over others, as bits.
func (g *Launches) waitsFor() [][]uint64 {
	reach := make([][]uint64, len(g.launches))
	for _, i := range g.order {
		reach[i] = make([]uint64, (len(g.launches)+63)/64)
		for _, k := range g.launches[i].WaitsFor {
			reach[i][k/64] |= 1 << (k % 64)
			for w, bits := range reach[k] {
				reach[i][w] |= bits
			}
		}
	}
	return reach
}

// findUnordered finds all pairs of launches of which neither waits for the other.
func (g *Launches) findUnordered() {
	reach := g.waitsFor()
	for j := range g.launches {
		for i := range j {
			if unordered(reach, i, j) {
				g.unordered = append(g.unordered, [2]int{i, j})
			}
		}
	}
}

// FindHazards warns about unordered launches that access the same bytes, if one of them writes.
func (g *Launches) FindHazards(warn func(format string, args ...any)) {
	if !g.hazards {
		warn("hazards: not looked for among %d launches: want at most %d", len(g.launches), maxHazardLaunches)
		return
	}
	for _, pair := range g.unordered {
		a, b := g.launches[pair[0]], g.launches[pair[1]]
		if addr, mine, others, found := a.Footprint.Conflict(b.Footprint); found {
			warn("hazard: %s %s (queue %s) %s and %s %s (queue %s) %s %s, and neither waits for the other", g.noun, a.Step, g.queues[a.Queue].Name,
				accessWords[mine], g.noun, b.Step, g.queues[b.Queue].Name, accessWords[others], g.byteName(addr))
		}
	}
}

// accessWords are the verbs for kinds of accesses.
var accessWords = [...]string{hierarchy.Read: "reads", hierarchy.Write: "writes", hierarchy.Atomic: "updates by atomics"}

// byteName returns the buffer and the offset of a byte, or its address.
func (g *Launches) byteName(addr uint64) string {
	if b := g.machine.Store.Find(addr); b != nil {
		return fmt.Sprintf("byte %d of %s", addr-b.Addr, b.Name)
	}
	return fmt.Sprintf("the byte at address %#x", addr)
}
