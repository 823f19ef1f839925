package gpu

import (
	"fmt"
	"slices"

	"spvsim/config"
	"spvsim/scheduler/graph"
)

// graphsInTurn has dispatches of one graph wait for each other: they share its scratch memory.
func (g *group) graphsInTurn() error {
	var list []config.Launch
	for _, l := range g.launches {
		list = append(list, *l.from)
	}
	g.order, _ = config.Order(list)
	before := map[*graphJob]int{}
	for _, i := range g.order {
		l := g.launches[i]
		own := l.graph()
		if own == nil {
			continue
		}
		if own.run.Alone() {
			return fmt.Errorf("%w: %s: found a graph under scheduler.kind persistent, which takes all compute units, beside other work: want another kind", errQueues, l.from.Path)
		}
		if k, ok := before[own]; ok && !slices.Contains(l.after, k) {
			l.after = append(l.after, k)
		}
		before[own] = i
		if !slices.Contains(g.graphs, own) {
			g.graphs = append(g.graphs, own)
		}
	}
	return g.divide()
}

// divide finds for each dispatch of a graph how many graphs may be on the machine with it, among which what is on chip is divided.
func (g *group) divide() error {
	var reach [][]uint64
	if len(g.graphs) > 1 && len(g.launches) <= maxHazardLaunches {
		reach = g.waits()
	}
	for i, l := range g.launches {
		if l.graph() == nil || l.graph().run == nil { // nil: no time passes
			continue
		}
		if l.among = len(g.graphs); reach != nil {
			l.among = besides(g.launches, i, reach)
		}
		if have, need, ok := l.graph().run.Fits(l.among); !ok && l.among > 1 {
			return fmt.Errorf("%w: %s: found %d bytes, in scratch memory and 1/%d of the payload memory on chip: want %d, as the graph needs (more scratch_bytes, or after, so that the graphs run in turn)",
				errQueues, l.step, have, l.among, need)
		}
	}
	return nil
}

// besides counts the graphs of which a dispatch may be on the machine with launch i, that of the launch included.
func besides(launches []*besideLaunch, i int, reach [][]uint64) int {
	found := []*graphJob{launches[i].graph()}
	for k, l := range launches {
		if own := l.graph(); own != nil && !slices.Contains(found, own) && loose(reach, i, k) {
			found = append(found, own)
		}
	}
	return len(found)
}

// loose says of two launches that neither waits for the other.
func loose(reach [][]uint64, i, j int) bool {
	return reach[j][i/64]>>(i%64)&1 == 0 && reach[i][j/64]>>(j%64)&1 == 0
}

// runs are graphs as the machine has them.
func runs(graphs []*graphJob) (list []*graph.Run) {
	for _, own := range graphs {
		list = append(list, own.run)
	}
	return list
}
