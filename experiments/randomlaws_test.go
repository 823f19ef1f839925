package experiments

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/tracing"
)

// lawMachine is the machine that laws are looked at on.
var lawMachine = []string{"shader_engines=2", "compute_units=2", "wave_slots=4", "l2.bytes=65536", "l2.slices=1", "memory_side.bytes=0",
	"dispatcher.kernel_launch_cycles=0", "scheduler.firmware_dispatch_cycles=0"}

// A lawAxis is what is varied of it, from little to much.
type lawAxis struct {
	key    string
	values []string
	onChip string // bytes for payloads on chip
}

var lawAxes = []lawAxis{
	{"scratch_bytes", nil, "0"}, // the least, twice and eight times as much, and the most of use
	{"queue.ports", []string{"1", "4", "32"}, "0"},
	{"queue.depth", []string{"1", "8", "1024"}, "0"},
	{"queue.payload_bytes_per_cycle", []string{"4", "64", "512"}, "1048576"},
}

// stats runs the graph on a machine with settings and scratch memory.
func (g *randomGraph) stats(kind string, scratch uint64, set ...string) (*tracing.Stats, error) {
	m, err := config.LoadMachine(config.Request{Machine: "rdna3-rx7900xtx", Set: append(append([]string{"scheduler.kind=" + kind}, lawMachine...), set...)})
	if err != nil {
		return nil, err
	}
	files := fstest.MapFS{"graph.spvasm": {Data: []byte(g.text)}}
	job, err := config.ParseJob(files, "job.yaml", fmt.Appendf(nil, "%sscratch_bytes: %d\n", g.job, scratch))
	if err != nil {
		return nil, err
	}
	r, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, MaxCycles: 1e8})
	if err != nil {
		return nil, err
	}
	return r.Stats, nil
}

// scratch is the least scratch memory of a graph without memory on chip, and the most that is of use.
func (g *randomGraph) scratch() (least, most uint64, err error) {
	m, err := config.LoadMachine(config.Request{Machine: "rdna3-rx7900xtx", Set: append([]string{"queue.payload_bytes=0"}, lawMachine...)})
	if err != nil {
		return 0, 0, err
	}
	job, err := config.ParseJob(fstest.MapFS{"graph.spvasm": {Data: []byte(g.text)}}, "job.yaml", []byte(g.job))
	if err != nil {
		return 0, 0, err
	}
	var text bytes.Buffer
	err = gpu.DescribeGraph(&text, gpu.Setup{Machine: m, Job: job}, false)
	least, most = scratchRange(text.String())
	return least, most, err
}

// What is allocated is enqueued or dropped, what is enqueued is launched, and what spills is read back, under every scheduler; payload memory holds no more than there is, nor than the graph can use;
// the parts of the critical path add up to the time.
func TestRandomGraphsConserve(t *testing.T) {
	eachRandomGraph(t, 1, func(t *testing.T, seed uint64, g *randomGraph) {
		least, most, err := g.scratch()
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		host := uint64(0)
		for _, n := range g.nodes {
			host += uint64(n.host)
		}
		for _, kind := range schedulers {
			for _, set := range [][]string{{"queue.depth=2", "queue.pack_threads=true"}, {"queue.depth=8", "queue.placement=engine", "queue.steal=2", "scheduler.passes=overlapped"}} {
				s, err := g.stats(kind, 2*least, append(set, "queue.payload_bytes=0")...)
				if err != nil {
					t.Fatalf("seed %d, %s, %v: %v%s", seed, kind, set, err, g.keep(seed))
				}
				q, launched := s.Graph.Queue, g.launched(s)
				if q.Allocated != q.Enqueued+s.Graph.Unused || q.Enqueued+host != launched || q.Spills != q.Refills {
					t.Errorf("seed %d, %s, %v: %d allocated, %d enqueued, %d dropped; the host's %d and those are %d launched; %d spilled, %d read back",
						seed, kind, set, q.Allocated, q.Enqueued, s.Graph.Unused, host, launched, q.Spills, q.Refills)
				}
				if q.PeakBytes > min(2*least, most) {
					t.Errorf("seed %d, %s, %v: payloads have %d bytes at the peak, of %d that there are and %d that they can use", seed, kind, set, q.PeakBytes, 2*least, most)
				}
				if q.StallCycles != q.StallPort+q.StallLines+q.StallFull+q.StallMemory {
					t.Errorf("seed %d, %s, %v: %d cycles of stalls are not the sum of their causes: %+v", seed, kind, set, q.StallCycles, q)
				}
				if path := pathCycles(s); path != s.Cycles {
					t.Errorf("seed %d, %s, %v: the critical path has %d cycles, the run %d", seed, kind, set, path, s.Cycles)
				}
			}
		}
	})
}

// pathCycles is what the nodes' parts of the critical path add up to.
func pathCycles(s *tracing.Stats) (sum uint64) {
	for i := range s.Graph.Nodes {
		p := &s.Graph.Nodes[i].Path
		sum += p.Cycles()
	}
	return sum
}

// launched counts payloads once, whoever shares them.
func (g *randomGraph) launched(s *tracing.Stats) (sum uint64) {
	for i := range s.Graph.Nodes {
		name, _, _ := strings.Cut(s.Graph.Nodes[i].Name, "[")
		for _, n := range g.nodes {
			if n.name() == name && n.shares == nil {
				sum += s.Graph.Nodes[i].Payloads
			}
		}
	}
	return sum
}

// lawSlack is what more of something may cost at most: waves find another order, as tasks do on any machine that lists them (Graham's
// anomalies). 2 %, and in a run of few cycles as many as one access to memory takes.
func lawSlack(cycles uint64) uint64 { return cycles + cycles/50 + 400 }

// More scratch memory, ports, entries or bandwidth is no slower.
func TestRandomGraphsAreNoSlowerWithMore(t *testing.T) {
	eachRandomGraph(t, 2, func(t *testing.T, seed uint64, g *randomGraph) {
		least, most, err := g.scratch()
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		sizes := []uint64{least, 2 * least, 8 * least, max(most, 16*least)}
		for k, kind := range schedulers {
			for i, axis := range lawAxes {
				if axis.values != nil && kind != "hardware" {
					continue // the key does nothing
				}
				order := lawOrders[(int(seed)+k+i)%len(lawOrders)]
				g.noSlower(t, seed, kind, order, axis, sizes)
			}
		}
	})
}

// lawOrders are those in which nodes may be served; a graph has one on each axis, the next graph another.
var lawOrders = []string{"depth-first", "breadth-first", "round-robin"}

// noSlower goes along an axis, from little to much; sizes are those of the scratch memory.
func (g *randomGraph) noSlower(t *testing.T, seed uint64, kind, order string, axis lawAxis, sizes []uint64) {
	t.Helper()
	values := axis.values
	if values == nil {
		for _, size := range sizes {
			values = append(values, fmt.Sprint(size))
		}
	}
	best, at := ^uint64(0), ""
	for i, value := range values {
		scratch, set := sizes[len(sizes)-1], []string{"queue.arbitration=" + order, "queue.payload_bytes=" + axis.onChip}
		if axis.values == nil {
			scratch = sizes[i]
		} else {
			set = append(set, axis.key+"="+value)
		}
		s, err := g.stats(kind, scratch, set...)
		if err != nil {
			t.Fatalf("seed %d, %s, %v: %v%s", seed, kind, set, err, g.keep(seed))
		}
		if best != ^uint64(0) && s.Cycles > lawSlack(best) {
			t.Errorf("seed %d, %s, %s: %s %s takes %d cycles, %s %d", seed, kind, order, axis.key, value, s.Cycles, at, best)
		}
		if s.Cycles < best {
			best, at = s.Cycles, value
		}
	}
}

// eachRandomGraph draws graphs: a few by default, more where the environment asks for them. Salt keeps tests from looking at the same ones.
func eachRandomGraph(t *testing.T, salt uint64, look func(t *testing.T, seed uint64, g *randomGraph)) {
	t.Helper()
	for seed, done := salt*1000, 0; done < randomGraphs(t)/8; seed++ {
		g, err := newRandomGraph(seed)
		if errors.Is(err, errTooLarge) {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v%s", seed, err, g.keep(seed))
		}
		look(t, seed, g)
		done++
	}
}
