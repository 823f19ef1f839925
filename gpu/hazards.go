package gpu

import (
	"fmt"

	"spvsim/mem"
	"spvsim/mem/hierarchy"
)

// maxHazardLaunches bounds the launches among which hazards are looked for: each two that do not wait for each other are compared.
const maxHazardLaunches = 1 << 12

// watch has launches take down what they access, where one does not wait for another.
func (g *group) watch() {
	g.loose = nil
	if g.hazards = len(g.launches) <= maxHazardLaunches; g.hazards {
		g.findLoose()
	}
	for _, l := range g.launches {
		l.touched = nil
	}
	for _, pair := range g.loose {
		for _, i := range pair {
			if l := g.launches[i]; l.touched == nil {
				l.touched = mem.NewFootprint()
			}
		}
	}
	for _, l := range g.launches {
		l.traffic = &hierarchy.Traffic{}
		if k := l.kernel(); k != nil {
			k.Touched, k.Traffic = l.touched, l.traffic
		}
	}
}

// watch has the nodes take down what they access, and count what they move.
func (g *graphJob) watch(touched *mem.Footprint, traffic *hierarchy.Traffic) {
	for _, n := range g.graph.Nodes {
		n.Launch.Touched, n.Launch.Traffic = touched, traffic
	}
}

// watchMoves takes down what a transfer reads and writes.
func (x *transfer) watchMoves(f *mem.Footprint) {
	for i := range x.access {
		a := &x.access[i]
		for row := uint64(0); f != nil && row < a.rows; row++ {
			f.Add(a.kind, a.addr+row*a.stride, a.bytes)
		}
	}
}

// waits says for each launch which others it waits for, over others.
func (g *group) waits() [][]uint64 {
	reach := make([][]uint64, len(g.launches))
	for _, i := range g.order {
		reach[i] = make([]uint64, (len(g.launches)+63)/64)
		for _, k := range g.launches[i].after {
			reach[i][k/64] |= 1 << (k % 64)
			for w, bits := range reach[k] {
				reach[i][w] |= bits
			}
		}
	}
	return reach
}

// findLoose finds each two launches of which neither waits for the other.
func (g *group) findLoose() {
	reach := g.waits()
	for j := range g.launches {
		for i := range j {
			if loose(reach, i, j) {
				g.loose = append(g.loose, [2]int{i, j})
			}
		}
	}
}

// findHazards warns of launches that access the same bytes, one of them to write, where neither waits for the other.
func (g *group) findHazards(warn func(format string, args ...any)) {
	if !g.hazards {
		warn("hazards: not looked for among %d launches: want at most %d", len(g.launches), maxHazardLaunches)
		return
	}
	for _, pair := range g.loose {
		a, b := g.launches[pair[0]], g.launches[pair[1]]
		if addr, mine, others, found := a.touched.Conflict(b.touched); found {
			warn("hazard: %s %s (queue %s) %s and %s %s (queue %s) %s %s, and neither waits for the other", g.noun, a.step, g.queues[a.queue].Name,
				accessWords[mine], g.noun, b.step, g.queues[b.queue].Name, accessWords[others], g.place(addr))
		}
	}
}

// accessWords say what is done to a byte.
var accessWords = [...]string{hierarchy.Read: "reads", hierarchy.Write: "writes", hierarchy.Atomic: "updates by atomics"}

// place is a byte in words.
func (g *group) place(addr uint64) string {
	if b := g.machine.store.Find(addr); b != nil {
		return fmt.Sprintf("byte %d of %s", addr-b.Addr, b.Name)
	}
	return fmt.Sprintf("the byte at address %#x", addr)
}
