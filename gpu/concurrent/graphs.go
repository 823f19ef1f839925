package concurrent

import (
	"fmt"
	"slices"
	"spvsim/scheduler/graph"
)

// GraphsInTurn makes dispatches of one graph wait for each other, as they share its scratch memory. order lists the launches so that
// each comes after the launches that it waits for.
func (g *Launches) GraphsInTurn(order []int) error {
	g.order, g.graphs = order, nil
	before := map[*graph.Run]int{}
	for _, i := range g.order {
		l := g.launches[i]
		own := l.Work.Graph()
		if own == nil {
			continue
		}
		if own.Exclusive() {
			return fmt.Errorf("%w: %s: found a graph under scheduler.kind persistent, which takes all compute units, beside other work: want another kind", ErrQueues, l.Path)
		}
		if k, ok := before[own]; ok && !slices.Contains(l.WaitsFor, k) {
			l.WaitsFor = append(l.WaitsFor, k)
		}
		before[own] = i
		g.addGraph(l)
	}
	return g.DivideOnChip()
}

// DivideOnChip computes for each dispatch of a graph how many graphs may be resident with it. The memory on chip is divided among them.
func (g *Launches) DivideOnChip() error {
	var reach [][]uint64
	if len(g.graphs) > 1 && len(g.launches) <= maxHazardLaunches {
		reach = g.waitsFor()
	}
	for i, l := range g.launches {
		if l.Work.Graph() == nil {
			continue
		}
		if l.concurrentGraphs = len(g.graphs); reach != nil {
			l.concurrentGraphs = graphsAtOnce(g.launches, i, reach)
		}
		if have, need, ok := l.Work.Graph().Fits(l.concurrentGraphs); !ok && l.concurrentGraphs > 1 {
			return fmt.Errorf("%w: %s: found %d bytes, in scratch memory and 1/%d of the payload memory on chip: want %d, as the graph needs (more scratch_bytes, or after, so that the graphs run in turn)",
				ErrQueues, l.Step, have, l.concurrentGraphs, need)
		}
	}
	return nil
}

// graphsAtOnce counts the graphs with a dispatch that may overlap with launch i, including its own.
func graphsAtOnce(launches []*QueuedLaunch, i int, reach [][]uint64) int {
	found := []*graph.Run{launches[i].Work.Graph()}
	for k, l := range launches {
		if own := l.Work.Graph(); own != nil && !slices.Contains(found, own) && unordered(reach, i, k) {
			found = append(found, own)
		}
	}
	return len(found)
}

// unordered reports whether neither of two launches waits for the other.
func unordered(reach [][]uint64, i, j int) bool {
	return reach[j][i/64]>>(i%64)&1 == 0 && reach[i][j/64]>>(j%64)&1 == 0
}

// addGraph adds the graph of a launch, if it has one that the group does not have.
func (g *Launches) addGraph(l *QueuedLaunch) {
	if own := l.Work.Graph(); own != nil && !slices.Contains(g.graphs, own) {
		g.graphs = append(g.graphs, own)
	}
}
