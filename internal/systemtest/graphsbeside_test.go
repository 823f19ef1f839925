package systemtest

import (
	"context"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/account"
	"spvsim/config"
	"spvsim/experiments"
	"spvsim/gpu"
	"spvsim/internal/suite"
)

// graphFiles are the shaders of dispatches, and a graph's.
func graphFiles(t testing.TB) fstest.MapFS {
	t.Helper()
	files := keyFiles(t)
	library, _, _, err := experiments.Lookup("lastsum")
	if err != nil {
		t.Fatal(err)
	}
	data := suite.Must(fs.ReadFile(library, "lastsum.spvasm"))(t)
	files["lastsum.spvasm"] = &fstest.MapFile{Data: data}
	return files
}

// graphBuffers are those of the graph, of dispatches and of a second graph.
const graphBuffers = `
buffers:
  - {set: 0, binding: 0, name: numbers, data: {random: {type: u32, seed: 9, count: 64 * 16}}}
  - {set: 0, binding: 1, name: result, data: {zero: 32}}
  - {set: 1, binding: 0, name: words, data: {random: {type: u32, seed: 3, count: 1048576}}}
  - {set: 1, binding: 1, name: others, data: {random: {type: u32, seed: 8, count: 64 * 16}}}
  - {set: 1, binding: 2, name: second, data: {zero: 32}}
`

// oneGraph and twoGraphs are the nodes of as many.
const (
	oneGraph  = "nodes: [{shader: lastsum.spvasm, entry: start}, {shader: lastsum.spvasm, entry: sum}]\n"
	twoGraphs = `nodes:
  - {graph: a, shader: lastsum.spvasm, entry: start}
  - {graph: a, shader: lastsum.spvasm, entry: sum}
  - {graph: b, shader: lastsum.spvasm, entry: start, bindings: [{set: 0, binding: 0, buffer: others}, {set: 0, binding: 1, buffer: second}]}
  - {graph: b, shader: lastsum.spvasm, entry: sum, bindings: [{set: 0, binding: 0, buffer: others}, {set: 0, binding: 1, buffer: second}]}
`
)

// mixStep is a dispatch of so many workgroups.
func mixStep(groups, rounds int) string {
	return fmt.Sprintf("{name: mix, shader: mix.spv, push_constants: [{u32: 0}, {u32: 524288}, {u32: %d}], bindings: [{set: 0, binding: 0, buffer: words}], dispatch: [%d]}", rounds, groups)
}

func graphJob(t testing.TB, text string) *config.Job {
	t.Helper()
	j := suite.Must(config.ParseJob(graphFiles(t), "graph.yaml", []byte(graphBuffers+text)))(t)
	return j
}

// besideKinds are the schedulers whose workers do not hold the machine.
var besideKinds = []string{"hardware", "firmware", "multipass", "lists", "generated"}

// A graph runs beside dispatches, under each scheduler whose workers do not hold the machine, with the results of both in order; a second
// dispatch of the graph waits for the first, whose scratch memory it uses.
func TestGraphBesideDispatches(t *testing.T) {
	mix := mixStep(32, 500)
	both := graphJob(t, oneGraph+"queues:\n- {name: graphs, steps: [{name: g, graph: [{node: start}]}]}\n- {name: dispatches, steps: ["+mix+"]}\n")
	inOrder := graphJob(t, oneGraph+"steps: [{name: g, graph: [{node: start}]}, "+mix+"]\n")
	for _, kind := range besideKinds {
		settings := besideMachine + " scheduler.kind=" + kind
		a, b := besideRun(t, both, settings, nil), besideRun(t, inOrder, settings, nil)
		sameInOrder(t, kind, a, b)
		if a.Stats.Cycles >= b.Stats.Cycles {
			t.Errorf("%s: %d cycles, in order %d", kind, a.Stats.Cycles, b.Stats.Cycles)
		}
	}
	twice := graphJob(t, oneGraph+"queues:\n- steps: [{name: g, graph: [{node: start}]}]\n- steps: [{name: h, graph: [{node: start}]}]\n")
	q := besideRun(t, twice, besideMachine+"scheduler.kind=hardware", nil).Stats.Queues
	if first, second := q[0].Launches[0], q[1].Launches[0]; second.Read < first.Done {
		t.Errorf("the second dispatch of the graph begins in cycle %d, the first is done in cycle %d", second.Read, first.Done)
	}
}

// sameInOrder compares what steps beside each other did with what they do one after the other.
func sameInOrder(t *testing.T, what string, a, b *gpu.Result) {
	t.Helper()
	if !reflect.DeepEqual(a.Buffers, b.Buffers) {
		t.Errorf("%s: other bytes than in order", what)
	}
	if a.Stats.Instructions() != b.Stats.Instructions() || a.Stats.Workgroups != b.Stats.Workgroups {
		t.Errorf("%s: %d instructions of %d workgroups, in order %d of %d", what, a.Stats.Instructions(), a.Stats.Workgroups, b.Stats.Instructions(), b.Stats.Workgroups)
	}
	for i := range a.Stats.Steps {
		x, y := &a.Stats.Steps[i], &b.Stats.Steps[i]
		if x.Name != y.Name || x.ByClass != y.ByClass || x.Workgroups != y.Workgroups {
			t.Errorf("%s: step %s: %d workgroups, %v, in order %s: %d, %v", what, x.Name, x.Workgroups, x.ByClass, y.Name, y.Workgroups, y.ByClass)
		}
	}
}

// A graph that finds all wave slots taken waits for them, under each scheduler, and does not take the machine for one without payload memory.
func TestGraphOnAFullMachine(t *testing.T) {
	mix := mixStep(64, 300)
	late := graphJob(t, oneGraph+"queues:\n- {name: dispatches, steps: ["+mix+"]}\n- {name: graphs, steps: [{name: copy, transfer: {bytes: 500000}}, {name: g, graph: [{node: start}]}]}\n")
	inOrder := graphJob(t, oneGraph+"steps: ["+mix+", {name: copy, transfer: {bytes: 500000}}, {name: g, graph: [{node: start}]}]\n")
	for _, kind := range besideKinds {
		settings := besideMachine + " wave_slots=1 compute_units=1 scheduler.pass_launch_cycles=10 scheduler.barrier_cycles=10 scheduler.kind=" + kind
		a, b := besideRun(t, late, settings, nil), besideRun(t, inOrder, settings, nil)
		sameInOrder(t, kind, a, b)
		if kind != "multipass" {
			continue
		}
		if x, y := graphStep(a, "g"), graphStep(b, "g"); x.Graph.Queue.Passes != y.Graph.Queue.Passes {
			t.Errorf("%d passes, in order %d", x.Graph.Queue.Passes, y.Graph.Queue.Passes)
		}
	}
}

// Two graphs at once do what they do one after the other; the first one's counts are its own. A kernel runs beside them.
func TestTwoGraphs(t *testing.T) {
	mix := mixStep(16, 100)
	const a, b = "{name: a, graph: [{graph: a, node: start}]}", "{name: b, graph: [{graph: b, node: start}]}"
	beside := graphJob(t, twoGraphs+"queues:\n- steps: ["+a+"]\n- steps: ["+b+"]\n- steps: ["+mix+"]\n")
	inOrder := graphJob(t, twoGraphs+"steps: ["+a+", "+b+", "+mix+"]\n")
	for _, kind := range besideKinds {
		settings := besideMachine + " scheduler.kind=" + kind
		x, y := besideRun(t, beside, settings, nil), besideRun(t, inOrder, settings, nil)
		sameInOrder(t, kind, x, y)
		untimed := besideRun(t, beside, settings, func(s *gpu.Setup) { s.Mode = "functional" })
		if !reflect.DeepEqual(x.Buffers, untimed.Buffers) {
			t.Errorf("%s: other bytes than without time", kind)
		}
		q := x.Stats.Queues
		if one, other := q[0].Launches[0], q[1].Launches[0]; other.Dispatched >= one.Done || one.Dispatched >= other.Done {
			t.Errorf("%s: %+v and %+v are not beside each other", kind, one, other)
		}
		if names := x.Stats.Graph.Nodes; len(names) != 4 || names[0].Name != "a.start[0]" || names[3].Name != "b.sum[0]" {
			t.Errorf("%s: nodes of both: %+v", kind, names)
		}
	}
}

// What can't be with two graphs is refused by name.
func TestGraphsThatCanNotBe(t *testing.T) {
	const both = "queues:\n- steps: [{name: a, graph: [{graph: a, node: start}]}]\n- steps: [{name: b, graph: [{graph: b, node: start}]}]\n"
	for _, c := range []struct{ text, want string }{
		{"steps: [{graph: [{node: start}]}]\n", `steps[0].graph[0].graph: found "": want the name of a graph`},
		{"steps: [{graph: [{graph: c, node: start}]}]\n", `steps[0].graph[0].graph: found "c": want the name of a graph`},
		{"steps: [{graph: [{graph: a, node: start}, {graph: b, node: start}]}]\n", `steps[0].graph[1].graph: found "b" after "a": want one graph for all payloads of a dispatch`},
		{"mesh_outputs: [{graph: c, node: start, output: x, buffer: second}]\nsteps: [{graph: [{graph: a, node: start}]}]\n", `mesh_outputs[0].graph: found "c": want the name of a graph`},
	} {
		if _, err := config.ParseJob(graphFiles(t), "graph.yaml", []byte(graphBuffers+twoGraphs+c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
	for _, c := range []struct {
		scratch        int
		settings, want string
	}{
		{64, "scheduler.kind=persistent", "which takes all compute units"},
		{0, "scheduler.kind=hardware queue.payload_bytes=64", "a: found 32 bytes, in scratch memory and 1/2 of the payload memory on chip: want 64"},
	} {
		job := graphJob(t, twoGraphs+both+fmt.Sprintf("scratch_bytes: %d\n", c.scratch))
		m := suite.Must(config.LoadMachine(config.Request{Job: job, Set: strings.Fields(besideMachine + c.settings)}))(t)
		if _, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.settings, err, c.want)
		}
	}
}

// graphStep is the counts of a step.
func graphStep(r *gpu.Result, name string) *account.StepCounts {
	for i := range r.Stats.Steps {
		if s := &r.Stats.Steps[i]; s.Name == name {
			return s
		}
	}
	return nil
}

// Two graphs alike take turns at the launch rate of a queue, and at the core that firmware runs on: where that bounds them, both together take twice the time of one,
// and end within two launches of each other.
func TestGraphsTakeTurns(t *testing.T) {
	const each = 2000 // cycles of a launch
	one := graphJob(t, twoGraphs+"queues:\n- steps: [{name: a, graph: [{graph: a, node: start}]}]\n")
	both := graphJob(t, twoGraphs+"queues:\n- steps: [{name: a, graph: [{graph: a, node: start}]}]\n- steps: [{name: b, graph: [{graph: b, node: start}]}]\n")
	for _, kind := range []string{"hardware queue.launch_rate=0.0005", fmt.Sprintf("firmware scheduler.firmware_launches=1 scheduler.firmware_dispatch_cycles=0 scheduler.firmware_cycles=%d", each)} {
		settings := besideMachine + " queue.pack_threads=false scheduler.kind=" + kind
		alone, r := besideRun(t, one, settings, nil), besideRun(t, both, settings, nil)
		span := func(r *gpu.Result, q int) uint64 {
			l := &r.Stats.Queues[q].Launches[0]
			return l.Done - l.Dispatched
		}
		a, b, single := span(r, 0), span(r, 1), span(alone, 0)
		if launches := alone.Stats.Graph.Nodes[1].Payloads; single < each*launches {
			t.Errorf("%s: %d cycles for %d launches: the rate does not bound them", kind, single, launches)
		}
		if apart := max(a, b) - min(a, b); apart > 2*each+each/2 || max(a, b) > 2*single+each || max(a, b) < 2*single-4*each {
			t.Errorf("%s: %d and %d cycles beside each other, %d alone", kind, a, b, single)
		}
	}
}
