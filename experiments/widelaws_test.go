package experiments

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/fstest"

	"spvsim/config"
	"spvsim/gpu"
)

// A queueDraw is a graph on a machine with one varied resource.
type queueDraw struct {
	graph       *randomGraph
	machine     string
	set         []string
	axis        lawAxis
	least, most uint64 // scratch memory that the graph needs, and that is of use
}

// queueAxes are the resources of a hardware queue, from little to much; scratch memory occurs as often as all the
// others.
var queueAxes = []lawAxis{
	{key: "scratch_bytes"}, {key: "scratch_bytes"}, {key: "scratch_bytes"}, {key: "scratch_bytes"},
	{key: "queue.ports", values: []string{"1", "4", "32"}},
	{key: "queue.depth", values: []string{"8", "64", "512", "4096"}},
	{key: "queue.spill_lines", values: []string{"1", "8", "64", "512"}},
	{"queue.payload_bytes_per_cycle", []string{"8", "64", "512"}, "1048576", ""},
}

// lawCosts removes the fixed costs of a launch, which would hide the queue's.
var lawCosts = []string{"dispatcher.kernel_launch_cycles=0", "dispatcher.launch_floor_cycles=0", "scheduler.firmware_dispatch_cycles=0"}

// drawQueue draws a graph, one in four not wide, a preset or a few compute units of it, a scheduler, an order, and the sizes and rates of the queue.
func drawQueue(t *testing.T, seed uint64) *queueDraw {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 31))
	d := &queueDraw{machine: pick(r, config.Presets()...), axis: queueAxes[0]}
	kind := pick(r, "hardware", "firmware", "multipass", "lists", "persistent", "hardware", "hardware", "hardware", "hardware")
	if r.IntN(4) == 0 {
		d.graph, _ = drawGraph(t, 10000*seed)
	} else {
		d.graph = newWideGraph(seed)
	}
	d.set = append(append(d.set, lawCosts...), "scheduler.kind="+kind, "queue.arbitration="+pick(r, lawOrders...))
	if r.IntN(2) == 0 {
		d.set = append(d.set, fmt.Sprintf("shader_engines=%d", 1+r.IntN(2)), fmt.Sprintf("compute_units=%d", pick(r, 1, 2, 4)))
	}
	if kind == "hardware" {
		d.axis = pick(r, queueAxes...)
		d.draw(r, "queue.refill_threshold", "8", "16", "64", "256", "1024", "4096")
		d.draw(r, "queue.spill_lines", "", "", "1", "4", "16", "64", "256")
		d.draw(r, "queue.depth", "", "", "16", "64", "256")
		d.draw(r, "queue.placement", "", "", "central", "engine", "unit")
		d.draw(r, "queue.launch_rate", "", "", "", "0.1", "4")
		d.draw(r, "queue.payload_bytes", "0", "0", "0", "4096", "")
	}
	if d.axis.onChip != "" {
		d.set = append(d.set, "queue.payload_bytes="+d.axis.onChip)
	}
	if err := d.measure(); err != nil {
		t.Fatalf("%v: %v%s", d, err, d.graph.keep(seed))
	}
	return d
}

func (d *queueDraw) String() string { return fmt.Sprint(d.machine, d.set[len(lawCosts):], d.axis.key) }

// draw sets a key to one of several values; "" leaves it unchanged.
func (d *queueDraw) draw(r *rand.Rand, key string, values ...string) {
	if value := pick(r, values...); value != "" {
		d.set = append(d.set, key+"="+value)
	}
}

// setup returns the draw's setup with more settings and a size of scratch memory; 0: the machine's.
func (d *queueDraw) setup(scratch uint64, more ...string) (s gpu.Setup, err error) {
	if s.Machine, err = config.LoadMachine(config.Request{Machine: d.machine, Set: append(d.set[:len(d.set):len(d.set)], more...)}); err != nil {
		return s, err
	}
	text := d.graph.job
	if scratch > 0 {
		text += fmt.Sprintf("scratch_bytes: %d\n", scratch)
	}
	s.Job, err = config.ParseJob(fstest.MapFS{"graph.spvasm": {Data: []byte(d.graph.text)}}, "job.yaml", []byte(text))
	s.MaxCycles, s.Threads = 1e8, 1
	return s, err
}

// measure determines the scratch memory that the graph needs if none is on chip, and the largest useful size.
func (d *queueDraw) measure() error {
	s, err := d.setup(0, "queue.payload_bytes=0")
	if err != nil {
		return err
	}
	var text bytes.Buffer
	err = gpu.DescribeGraph(&text, s, false)
	d.least, d.most = scratchRange(text.String())
	return err
}

// worst goes along the axis, from little to much, and returns the largest ratio of a step's time to the best before; 0:
// no step is slower.
func (d *queueDraw) worst() (worst float64, err error) {
	best := ^uint64(0)
	for _, step := range d.steps() {
		s, err := d.setup(step.scratch, step.set...)
		if err != nil {
			return 0, err
		}
		r, err := gpu.Run(context.Background(), s)
		if err != nil {
			return 0, err
		}
		cycles := r.Stats.Cycles
		if best != ^uint64(0) && cycles > lawSlack(best) {
			worst = max(worst, float64(cycles)/float64(best))
		}
		best = min(best, cycles)
	}
	return worst, nil
}

// A queueStep is one value of the varied resource.
type queueStep struct {
	scratch uint64
	set     []string
}

func (d *queueDraw) steps() (list []queueStep) {
	all := max(d.most, 64*d.least)
	for _, v := range d.axis.values {
		list = append(list, queueStep{all, []string{d.axis.key + "=" + v}})
	}
	if list == nil {
		for _, times := range []uint64{1, 2, 4, 8, 32} {
			list = append(list, queueStep{scratch: times * d.least})
		}
		list = append(list, queueStep{scratch: all})
	}
	return list
}

const (
	lawDraws = 1000 // draws of the page's statement, from the first seed on
	lawMost  = 2    // factor by which more may be slower
)

// More scratch memory, ports, entries, line buffers or bandwidth is no slower for graphs that fan out, whatever the threshold, the payloads, the order and the
// machine, but for as many draws as the page counts, and never by more than the bound. A few are drawn by default; as many as the page's break the law exactly as often.
func TestWideGraphsAreNoSlowerWithMore(t *testing.T) {
	drawn, broken, most := randomGraphs(t)/8, 0, 0.0
	for seed := range uint64(drawn) {
		d := drawQueue(t, seed)
		worst, err := d.worst()
		if err != nil {
			t.Fatalf("seed %d, %v: %v%s", seed, d, err, d.graph.keep(seed))
		}
		if worst > lawMost {
			t.Errorf("seed %d, %v: %.2f times as slow with more: want at most %d%s", seed, d, worst, lawMost, d.graph.keep(seed))
		}
		if worst > 0 && seed < lawDraws {
			t.Logf("seed %d, %v: %.3f times as slow with more", seed, d, worst)
			broken, most = broken+1, max(most, worst)
		}
	}
	if n, worst := lawOnThePage(t, "drawn"); broken > n || most > worst+0.005 || drawn >= lawDraws && (broken != n || most < worst-0.005) {
		t.Errorf("%d of %d draws are slower with more, by a factor of %.2f at most; docs/graphs/scheduling.md says %d of %d, by %.2f", broken, min(drawn, lawDraws), most, n, lawDraws, worst)
	}
}
