package experiments

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/account"
	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
)

// besideKinds are the schedulers that run graphs concurrently.
var besideKinds = []string{"hardware", "firmware", "multipass", "lists", "generated"}

// A graphPair is two graphs of one job, each with a buffer of its own.
type graphPair struct {
	graphs [2]*randomGraph
	seeds  [2]uint64
	least  uint64 // bytes of scratch memory that either needs
}

var pairNames = [2]string{"a", "b"}

// job dispatches the graphs in queues, concurrently or the second after the first.
func (p *graphPair) job(t *testing.T, scratch uint64, inTurn bool) *config.Job {
	t.Helper()
	var buffers, nodes, queues strings.Builder
	files := fstest.MapFS{}
	for k, g := range p.graphs {
		name := pairNames[k]
		files[name+".spvasm"] = &fstest.MapFile{Data: []byte(g.text)}
		fmt.Fprintf(&buffers, "- {set: %d, binding: 0, name: %s, data: {zero: %d}}\n", k, name, g.bytes())
		_, rest, _ := strings.Cut(g.job, "nodes:\n")
		list, dispatches, _ := strings.Cut(rest, "graph:\n")
		nodes.WriteString(strings.ReplaceAll(strings.ReplaceAll(list, "  - {", fmt.Sprintf("- {graph: %s, shader: %s.spvasm, ", name, name)), "}\n",
			fmt.Sprintf(", bindings: [{set: 0, binding: 0, buffer: %s}]}\n", name)))
		after := ""
		if inTurn && k > 0 {
			after = "after: [a], "
		}
		fmt.Fprintf(&queues, "- {name: %s, steps: [{name: %s, %sgraph: [%s]}]}\n", name, name, after,
			strings.ReplaceAll(strings.ReplaceAll(dispatches, "  - {", "{graph: "+name+", "), "}\n", "},"))
	}
	text := fmt.Sprintf("buffers:\n%snodes:\n%squeues:\n%sscratch_bytes: %d\n", buffers.String(), nodes.String(), queues.String(), scratch)
	job, err := config.ParseJob(files, "pair.yaml", []byte(text))
	if err != nil {
		t.Fatalf("seeds %d: %v\n%s", p.seeds, err, text)
	}
	return job
}

// run runs the pair, and checks the results of both.
func (p *graphPair) run(t *testing.T, job *config.Job, kind string, threads int, set []string) *gpu.Result {
	t.Helper()
	m := suite.Must(config.LoadMachine(config.Request{Machine: "rdna3-rx7900xtx", Set: append(append([]string{"scheduler.kind=" + kind}, lawMachine...), set...)}))(t)
	r, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, MaxCycles: 1e8, Threads: threads})
	if err != nil {
		t.Fatalf("seeds %d, %s, %v: %v", p.seeds, kind, set, err)
	}
	for k, g := range p.graphs {
		if string(r.Buffers[k].Bytes) != string(g.want) {
			t.Errorf("seeds %d, %s, %v: graph %s leaves other bytes than by itself", p.seeds, kind, set, pairNames[k])
		}
	}
	return r
}

// conserves tests the laws of one graph of the pair.
func (p *graphPair) conserves(t *testing.T, what string, k int, r *gpu.Result, memory uint64) {
	t.Helper()
	g, s := p.graphs[k], &r.Stats.Steps[k]
	host, launched, path := uint64(0), uint64(0), uint64(0)
	for _, n := range g.nodes {
		host += uint64(n.host)
	}
	for i := range s.Graph.Nodes {
		c := &s.Graph.Nodes[i]
		path += c.Path.Cycles()
		for _, n := range g.nodes {
			if strings.HasPrefix(c.Name, pairNames[k]+"."+n.name()+"[") && n.shares == nil {
				launched += c.Payloads
			}
		}
	}
	q := s.Graph.Queue
	if q.Allocated != q.Enqueued+s.Graph.Unused || q.Enqueued+host != launched || q.Spills != q.Refills || q.PeakBytes > memory {
		t.Errorf("%s, graph %s: %d launched, the host's %d; payloads of at most %d bytes; %+v", what, s.Name, launched, host, memory, q)
	}
	if l := r.Stats.Queues[k].Launches[0]; path != l.Done-l.Dispatched {
		t.Errorf("%s, graph %s: the critical path has %d cycles, the dispatch %d", what, s.Name, path, l.Done-l.Dispatched)
	}
}

// drawPair draws two graphs of seeds from first on.
func drawPair(t *testing.T, first uint64) *graphPair {
	t.Helper()
	p := &graphPair{}
	for k := range p.graphs {
		g, err := newRandomGraph(first)
		for ; errors.Is(err, errTooLarge); g, err = newRandomGraph(first) {
			first++
		}
		if err != nil {
			t.Fatalf("seed %d: %v", first, err)
		}
		least, _, err := g.scratch()
		if err != nil {
			t.Fatalf("seed %d: %v", first, err)
		}
		p.graphs[k], p.seeds[k], p.least = g, first, max(p.least, least)
		first++
	}
	return p
}

// Two concurrent random graphs leave the buffers of each alone, under every scheduler whose workers do not hold the
// machine and whatever resources they have to divide; each obeys the laws of one graph, and any number of threads takes
// the same cycles.
func TestConcurrentRandomGraphs(t *testing.T) {
	n := 3
	if total := randomGraphs(t); total != 64 && !testing.Short() {
		n = total / 16
	}
	for i := range n {
		p := drawPair(t, uint64(100*i))
		for _, kind := range besideKinds {
			for _, v := range []struct {
				set     []string
				scratch uint64 // bytes
				chip    uint64 // of each graph
			}{
				{[]string{"queue.payload_bytes=0", "queue.depth=4", "queue.pack_threads=true"}, p.least, 0},
				{[]string{"queue.payload_bytes=512", "queue.ports=1", "queue.launch_rate=0.02", "queue.placement=engine", "queue.steal=2", "scheduler.passes=overlapped"}, 2 * p.least, 256},
			} {
				job := p.job(t, v.scratch, false)
				r := p.run(t, job, kind, 1, v.set)
				if kind != "hardware" {
					v.chip = 0
				}
				for k := range p.graphs {
					p.conserves(t, fmt.Sprintf("seeds %d, %s, %v", p.seeds, kind, v.set), k, r, v.scratch+v.chip)
				}
				if again := p.run(t, job, kind, 3, v.set); !reflect.DeepEqual(r.Stats.Counts, again.Stats.Counts) || !reflect.DeepEqual(r.Stats.Queues, again.Stats.Queues) {
					t.Errorf("seeds %d, %s, %v: other counts on three threads", p.seeds, kind, v.set)
				}
			}
		}
	}
}

// A graph takes at least as long concurrently with another as alone, and both together at most as long as one after the
// other, up to the bound of list scheduling.
func TestConcurrentGraphsBounds(t *testing.T) {
	p := drawPair(t, 7)
	for _, kind := range besideKinds {
		beside := p.run(t, p.job(t, 4*p.least, false), kind, 1, nil)
		inTurn := p.run(t, p.job(t, 4*p.least, true), kind, 1, nil)
		span := func(r *gpu.Result, k int) account.ConcurrentLaunch { return r.Stats.Queues[k].Launches[0] }
		if a, b := span(beside, 0), span(beside, 1); b.Dispatched >= a.Done || a.Dispatched >= b.Done {
			t.Errorf("%s: %+v and %+v are not beside each other", kind, a, b)
		}
		if a, b := span(inTurn, 0), span(inTurn, 1); b.Dispatched < a.Done {
			t.Errorf("%s: the second graph opens in cycle %d, the first is done in cycle %d", kind, b.Dispatched, a.Done)
		}
		if x, y := beside.Stats.Cycles, inTurn.Stats.Cycles; x >= y {
			t.Errorf("%s: %d cycles beside each other, %d one after the other", kind, x, y)
		}
	}
}
