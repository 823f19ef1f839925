package experiments

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/oracle"
	"spvsim/internal/suite"
	"spvsim/program/frontend"
	"spvsim/program/ir"
	"spvsim/spirv/asm"
	"spvsim/spirv/validate"
)

// smallMachines are one compute unit under each scheduler, with queues and memories of several sizes, from the smallest that can be,
// and with the alternatives of the queue.
func smallMachines(t testing.TB) []*config.Machine {
	t.Helper()
	variants := [][]string{
		{},
		{"wave_size=64", "queue.depth=16", "queue.payload_bytes=0", "queue.arbitration=breadth-first", "queue.coalescing_window=0",
			"queue.full=stall", "queue.full_wait=500", "queue.spill_lines=1", "scheduler.passes=overlapped",
			"scheduler.list_barrier=false", "scheduler.list_split=node", "scheduler.list_read_ahead=1", "scheduler.list_programs=1"},
		{"queue.depth=16", "queue.payload_bytes=256", "queue.placement=engine", "shader_engines=2", "queue.arbitration=round-robin", "queue.ports=1",
			"queue.full=retry", "queue.retry_cycles=20", "queue.payload_memory=cache", "queue.refill_threshold=8",
			"scheduler.list_barrier=false", "scheduler.list_append=record", "scheduler.list_record_bytes=8", "scheduler.list_rate=0.01", "scheduler.list_memory=memory"},
		{"wave_size=64", "queue.pack_threads=true", "queue.coalescing_window=20",
			"queue.placement=unit", "queue.steal=4", "queue.window=adaptive", "queue.arbitration=priority", "scheduler.passes=overlapped",
			"scheduler.list_split=node", "scheduler.lists_in_flight=4", "scheduler.list_record_bytes=256", "scheduler.list_miss_cycles=100", "front_end.fetch_cycles=300", "front_end.fetch_bytes=1"},
	}
	var list []*config.Machine
	for _, v := range variants {
		for _, kind := range schedulers {
			set := append([]string{"shader_engines=1", "compute_units=2", "wave_slots=4", "l2.bytes=65536", "l2.slices=1",
				"memory_side.bytes=0", "scheduler.kind=" + kind}, v...)
			m := suite.Must(config.LoadMachine(config.Request{Machine: "rdna3-rx7900xtx", Set: set}))(t)
			list = append(list, m)
		}
	}
	return list
}

// A randomGraph is a graph with the expected content of its buffer.
type randomGraph struct {
	text  string
	nodes []*randomNode
	job   string
	want  []byte

	threads int // of a run; 0: one
}

// errTooLarge means that a random graph exceeds the work of a test.
var errTooLarge = errors.New("graph grows too large")

// newRandomGraph draws a graph and interprets it payload by payload.
func newRandomGraph(seed uint64) (*randomGraph, error) {
	r := rand.New(rand.NewPCG(seed, 3))
	g := &randomGraph{nodes: randomNodes(r)}
	g.text = randomModule(g.nodes)
	raw, err := asm.Assemble([]byte(g.text), "graph.spvasm")
	if err != nil {
		return g, err
	}
	m, err := validate.Check(raw)
	if err != nil {
		return g, err
	}
	records := g.records(r)
	g.writeJob(records)
	return g, g.interpret(m, records, pick(r, 32, 64))
}

// records returns the host's payloads.
func (g *randomGraph) records(r *rand.Rand) []oracle.Record {
	var list []oracle.Record
	for _, n := range g.nodes {
		if n.host == 0 {
			continue
		}
		rec := oracle.Record{Node: n.name(), Index: n.indexes[0], Count: int(n.host)}
		if !n.empty {
			rec.Stride = n.hostBytes()
			// A payload for all has just its own bytes: those of a dynamic node may be fewer than hostBytes.
			if pick(r, 0, 1, 1, 1) == 0 && n.launch != ir.Dynamic {
				rec.Stride = 0
			}
			payloads := int(n.host)
			if rec.Stride == 0 {
				payloads = 1 // which all of them are
			}
			for range payloads {
				rec.Data = n.appendPayload(rec.Data, r)
			}
		}
		list = append(list, rec)
	}
	return list
}

// hostBytes is the size of the node's payload, rounded up to whole words.
func (n *randomNode) hostBytes() int {
	words := int(3 + n.padding)
	if n.launch == ir.Dynamic {
		words += 1 + n.parts // at most, with the gap
	}
	return 4 * words
}

func (n *randomNode) appendPayload(data []byte, r *rand.Rand) []byte {
	end := len(data) + n.hostBytes()
	data = binary.LittleEndian.AppendUint32(data, r.Uint32())
	for range 2 + n.padding { // sum, gap, padding
		data = binary.LittleEndian.AppendUint32(data, r.Uint32())
	}
	if n.launch == ir.Dynamic {
		bytes := 4
		if n.half {
			bytes = 2
		}
		data = append(data, make([]byte, bytes)...)
		for c := range n.parts {
			data = append(data, byte(r.Uint32N(n.grid[c]+1)))
			data = append(data, make([]byte, bytes-1)...)
		}
	}
	return append(data, make([]byte, end-len(data))...)
}

// writeJob writes the same as a job for the simulator.
func (g *randomGraph) writeJob(records []oracle.Record) {
	var b strings.Builder
	fmt.Fprintf(&b, "shader: graph.spvasm\nbuffers: [{set: 0, binding: 0, name: out, data: {zero: %d}}]\nnodes:\n", g.bytes())
	for _, n := range g.nodes {
		for _, index := range n.indexes {
			fmt.Fprintf(&b, "  - {entry: %s, index: %d}\n", n.name(), index)
		}
	}
	b.WriteString("graph:\n")
	for _, rec := range records {
		fmt.Fprintf(&b, "  - {node: %s, index: %d, count: %d", rec.Node, rec.Index, rec.Count)
		if len(rec.Data) > 0 {
			fmt.Fprintf(&b, ", stride: %d, data: {type: u8, values: %s}", rec.Stride, strings.ReplaceAll(fmt.Sprint(rec.Data), " ", ", "))
		}
		b.WriteString("}\n")
	}
	g.job = b.String()
}

func (g *randomGraph) bytes() int { return 4 * wordsOfNode * len(g.nodes) }

func (g *randomGraph) interpret(m *validate.Module, records []oracle.Record, wave int) error {
	g.want = make([]byte, g.bytes())
	run := oracle.Graph{WaveSize: wave, MaxWorkgroups: 250}
	for _, n := range g.nodes {
		f, err := frontend.Build(m, frontend.Options{Entry: n.name(), WaveSize: wave})
		if err != nil {
			return err
		}
		for _, index := range n.indexes {
			p := oracle.NodeProgram{Name: n.name(), Index: index, Func: f}
			for range f.Bindings {
				p.Descriptors = append(p.Descriptors, oracle.Descriptor{Data: g.want})
			}
			run.Nodes = append(run.Nodes, p)
		}
	}
	_, err := oracle.RunGraph(run, records)
	if errors.Is(err, oracle.ErrSteps) {
		return errTooLarge
	}
	return err
}

// run runs the graph on a machine, with the least scratch memory that it needs or with plenty.
func (g *randomGraph) run(m *config.Machine, least bool) error {
	files := fstest.MapFS{"graph.spvasm": {Data: []byte(g.text)}}
	job, err := config.ParseJob(files, "job.yaml", []byte(g.job))
	if err != nil {
		return err
	}
	if least {
		var text bytes.Buffer
		if err := gpu.DescribeGraph(&text, gpu.Setup{Machine: m, Job: job}, false); err != nil {
			return err
		}
		minimum, _ := scratchRange(text.String())
		if job, err = config.ParseJob(files, "job.yaml", fmt.Appendf(nil, "%sscratch_bytes: %d\n", g.job, minimum)); err != nil {
			return err
		}
	}
	result, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, MaxCycles: 1e8, Threads: g.threads})
	if err != nil {
		return err
	}
	if len(result.Faults) > 0 {
		return fmt.Errorf("faults: %q", result.Faults)
	}
	for i, w := range g.want {
		if got := result.Buffers[0].Bytes[i]; got != w {
			return fmt.Errorf("byte %d of node n%d: %d, want %d", i%(4*wordsOfNode), i/(4*wordsOfNode), got, w)
		}
	}
	return nil
}

// scratchRange parses the least and the largest useful scratch memory in the output of `spvsim graph`.
func scratchRange(text string) (least, most uint64) {
	_, rest, _ := strings.Cut(text, "scratch memory: ")
	fmt.Sscanf(rest, "at least %d bytes, at most %d of use", &least, &most)
	return least, most
}

// randomGraphs returns the number of graphs: each runs under every scheduler, on one of the machines. The environment
// may set more.
func randomGraphs(t *testing.T) int {
	t.Helper()
	text := os.Getenv("SPVSIM_RANDOM_GRAPHS")
	switch {
	case text != "":
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("SPVSIM_RANDOM_GRAPHS: %v", err)
		}
		return n
	case underRace || testing.Short():
		return 12 // three on each variant of the machine, under every scheduler
	}
	return 64
}

// Random graphs leave the buffers of a sequential interpretation under every scheduler, with any queue and memory.
func TestRandomGraphsAreAsInterpreted(t *testing.T) {
	machines, total := smallMachines(t), randomGraphs(t)
	drawn := make([]map[string]int, len(machines)/len(schedulers))
	t.Run("graphs", func(t *testing.T) {
		for v := range drawn {
			t.Run(fmt.Sprintf("machine%d", v), func(t *testing.T) {
				t.Parallel()
				drawn[v] = randomGraphsOn(t, machines[v*len(schedulers):][:len(schedulers)], uint64(v), uint64(len(drawn)), total/len(drawn))
			})
		}
	})
	for _, f := range features {
		count := 0
		for _, d := range drawn {
			count += d[f.name]
		}
		if count == 0 && total >= 160 {
			t.Errorf("no graph has %s", f.name)
		}
	}
}

// presetMachines are whole machines of each family, under each scheduler.
func presetMachines(t testing.TB) (list [][]*config.Machine) {
	t.Helper()
	for _, preset := range []string{"gcn3-r9nano", "cdna3-mi300x", "rdna2-rx6900xt", "rdna3-rx7900xtx", "rdna4-rx9070xt"} {
		var machines []*config.Machine
		for _, kind := range schedulers {
			machines = append(machines, suite.Must(config.LoadMachine(config.Request{Machine: preset, Set: []string{"scheduler.kind=" + kind}}))(t))
		}
		list = append(list, machines)
	}
	return list
}

// Random graphs, others on each of five whole presets, leave the buffers of a sequential interpretation under every scheduler, on one thread and
// on several. An eighth of randomGraphs runs on each preset.
func TestRandomGraphsOnPresets(t *testing.T) {
	presets, total := presetMachines(t), randomGraphs(t)/8
	for i, machines := range presets {
		t.Run(machines[0].Name, func(t *testing.T) {
			t.Parallel()
			for seed, done := uint64(7000+i), 0; done < total; seed += uint64(len(presets)) {
				g, err := newRandomGraph(seed)
				if errors.Is(err, errTooLarge) {
					continue
				}
				if err != nil {
					t.Fatalf("seed %d: %v%s", seed, err, g.keep(seed))
				}
				g.threads = 1 + done%3
				g.runAll(t, seed, machines)
				done++
			}
		})
	}
}

// randomGraphsOn runs n graphs, with every step-th seed from the first on, and counts their features.
func randomGraphsOn(t *testing.T, machines []*config.Machine, first, step uint64, n int) map[string]int {
	t.Helper()
	drawn := map[string]int{}
	for seed, done := first, 0; done < n; seed += step {
		g, err := newRandomGraph(seed)
		if errors.Is(err, errTooLarge) {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v%s", seed, err, g.keep(seed))
		}
		g.runAll(t, seed, machines)
		g.features(drawn)
		done++
	}
	return drawn
}

// runAll runs the graph on each machine; every third with the least memory that it can run in.
func (g *randomGraph) runAll(t *testing.T, seed uint64, machines []*config.Machine) {
	t.Helper()
	for _, m := range machines {
		if err := g.run(m, seed%3 == 0); err != nil {
			t.Fatalf("seed %d, %s: %v%s", seed, m.Scheduler.Kind, err, g.keep(seed))
		}
	}
}

// features are those that the random graphs must cover.
var features = []struct {
	name string
	has  func(n *randomNode) bool
}{
	{"a coalescing node", func(n *randomNode) bool { return n.launch == ir.Coalescing }},
	{"a static node", func(n *randomNode) bool { return n.launch == ir.Static }},
	{"a dynamic node", func(n *randomNode) bool { return n.launch == ir.Dynamic }},
	{"16-bit dispatch sizes", func(n *randomNode) bool { return n.launch == ir.Dynamic && n.half }},
	{"recursion", func(n *randomNode) bool { return n.recursion > 0 }},
	{"a shared input", func(n *randomNode) bool { return n.shares != nil }},
	{"a shared input of a recursive node", func(n *randomNode) bool { return n.shares != nil && n.shares.recursion > 0 }},
	{"a node array", func(n *randomNode) bool { return len(n.indexes) > 1 }},
	{"a sparse node array", func(n *randomNode) bool { return n.sparse() }},
	{"empty payloads", func(n *randomNode) bool { return n.empty }},
	{"finished writing", func(n *randomNode) bool { return n.shares == nil && n.finishes() }},
	{"finished by those that share", func(n *randomNode) bool { return n.shares != nil && n.finishes() }},
	{"several waves", func(n *randomNode) bool { return n.local > 32 }},
	{"payloads of invocations", func(n *randomNode) bool { return n.sends(func(o *randomOutput) bool { return o.lane }) }},
	{"payloads of workgroups", func(n *randomNode) bool { return n.sends(func(o *randomOutput) bool { return !o.lane }) }},
	{"shared limits", func(n *randomNode) bool { return n.sends(func(o *randomOutput) bool { return o.share >= 0 }) }},
}

func (n *randomNode) sends(what func(o *randomOutput) bool) bool {
	for i := range n.outputs {
		if what(&n.outputs[i]) {
			return true
		}
	}
	return false
}

// features counts the features of the nodes that received payloads.
func (g *randomGraph) features(count map[string]int) {
	for _, n := range g.nodes {
		ran := binary.LittleEndian.Uint32(g.want[4*wordsOfNode*(n.number+1)-4:]) > 0
		for _, f := range features {
			if ran && f.has(n) {
				count[f.name]++
			}
		}
	}
}

// keep saves a failing graph to the folder of the environment's variable.
func (g *randomGraph) keep(seed uint64) string {
	dir := os.Getenv("SPVSIM_KEEP")
	if dir == "" {
		return " (SPVSIM_KEEP=folder keeps the graph)"
	}
	name := fmt.Sprintf("%s/graph%d", dir, seed)
	job := strings.ReplaceAll(g.job, "graph.spvasm", fmt.Sprintf("graph%d.spvasm", seed))
	err := errors.Join(os.WriteFile(name+".spvasm", []byte(g.text), 0o644), os.WriteFile(name+".yaml", []byte(job), 0o644))
	if err != nil {
		return err.Error()
	}
	return ", kept as " + name
}
