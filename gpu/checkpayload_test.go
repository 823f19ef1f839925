package gpu

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/scheduler/graph"
)

// What the check finds in payloads: each case is right, or wrong in the way that it says, with time and without.
func TestPayloadsAreChecked(t *testing.T) {
	const store, count = "OpStore %over %u1", "\n%to9 = OpAccessChain %p_number %out %u0 %u5\n%a9 = OpAtomicIAdd %uint %to9 %u1 %u0 %x"
	one := []string{"%n_own = OpConstant %uint 3", "%n_own = OpConstant %uint 1"}
	readAt := func(word string) []string {
		return []string{store, "%at = OpAccessChain %p_word %in_own " + word + "\n%x = OpLoad %uint %at" + count}
	}
	const call = "%f_own = OpFinishWritingNodePayloadAMDX %bool %in_own"
	// A workgroup reads what it wrote, once it is the last to say that it has written.
	readByLast := func(when string) []string {
		return []string{call, call + "\nOpSelectionMerge %o2 None\nOpBranchConditional " + when + " %o1 %o2\n%o1 = OpLabel\n%x = OpLoad %uint %over" + count +
			"\nOpBranch %o2\n%o2 = OpLabel"}
	}
	const enqueue = "OpEnqueueNodePayloadsAMDX %array"
	const late = "use of a payload after its enqueue"
	const race, unwritten = "race between workgroups", "read of memory that nothing wrote"
	for _, c := range []struct {
		name   string
		change []string
		want   string // kind; empty: nothing
		fault  bool   // the run fails by the rules of graphs
	}{
		{"three workgroups write", nil, race, false},
		{"one workgroup writes", one, "", false},
		{"reads what nothing wrote", readAt("%u1"), unwritten, false},
		{"reads what the producer wrote", readAt("%u0"), "", false},
		{"the last reads, one writes", append(readByLast("%f_own"), one...), "", false},
		{"written after its enqueue", append([]string{enqueue, enqueue + "\nOpStore %size %u1"}, one...), late, false},
		{"read after its enqueue", append([]string{enqueue, enqueue + "\n%late = OpLoad %uint %size\n%late_to = OpAccessChain %p_number %out %u0 %u5\nOpStore %late_to %late", `"send" %lane`, `"send" %lane %out`}, one...), late, false},
		{"written by a node that shares it", append([]string{"%n0 = OpLabel", "%n0 = OpLabel\n%p_near = OpAccessChain %p_word %in_near %u1\nOpStore %p_near %u1"}, one...), "write of an input that nodes share", false},
		{"enqueued twice", []string{enqueue, enqueue + "\n" + enqueue}, "", true},
		{"written before its enqueue", append(readAt("%u0"), "OpStore %size %grid", "OpStore %size %grid\nOpStore %size %u1"), "", false},
	} {
		nodes := "{entry: send}, {entry: own}"
		if strings.Contains(c.name, "shares") {
			nodes += ", {entry: near}"
		}
		for _, mode := range []string{config.ModeTimed, config.ModeFunctional} {
			s := graphSetup(t, finishing(t, nodes, c.change...), "rdna3-rx7900xtx")
			s.Mode, s.Check = mode, true
			r, err := Run(context.Background(), s)
			if errors.Is(err, graph.ErrFault) != c.fault {
				t.Errorf("%s, %s: found error %v, a fault expected: %v", c.name, mode, err, c.fault)
			}
			if c.fault || r == nil || r.Checked == nil {
				if !c.fault {
					t.Errorf("%s, %s: %v", c.name, mode, err)
				}
				continue
			}
			var kinds []string
			for i := range r.Checked.Findings {
				f := &r.Checked.Findings[i]
				if f.Memory != "payload" {
					t.Errorf("%s, %s: found %v, want nothing but payloads", c.name, mode, f)
				}
				kinds = append(kinds, string(f.Kind))
			}
			kinds = slices.Compact(kinds)
			if c.want == "" && len(kinds) > 0 || c.want != "" && !slices.Equal(kinds, []string{c.want}) {
				t.Errorf("%s, %s: found %q, want %q", c.name, mode, kinds, c.want)
			}
		}
	}
}

// Graphs in hardware queues are checked as those alone: each dispatch by itself, for its queue orders it behind the one before.
func TestGraphsInQueuesAreChecked(t *testing.T) {
	const queues = `
nodes:
  - {graph: a, shader: finish.spvasm, entry: send, bindings: [{set: 0, binding: 0, buffer: out}]}
  - {graph: a, shader: finish.spvasm, entry: own, bindings: [{set: 0, binding: 0, buffer: out}]}
  - {graph: b, shader: finish.spvasm, entry: send, bindings: [{set: 0, binding: 0, buffer: other}]}
  - {graph: b, shader: finish.spvasm, entry: own, bindings: [{set: 0, binding: 0, buffer: other}]}
queues:
  - {name: a, steps: [{name: a1, graph: [{graph: a, node: send}]}, {name: a2, graph: [{graph: a, node: send}]}]}
  - {name: b, steps: [{name: b1, graph: [{graph: b, node: send}]}]}
buffers:
  - {set: 0, binding: 0, name: out, data: {zero: 128}}
  - {set: 1, binding: 0, name: other, data: {zero: 128}}
`
	one := []string{"%n_own = OpConstant %uint 3", "%n_own = OpConstant %uint 1",
		// Each dispatch stores to a word of the buffer: two that have no order would be a race.
		"OpStore %over %u1", "OpStore %over %u1\n%word9 = OpAccessChain %p_number %out %u0 %w9\nOpStore %word9 %w9", "%grid = OpConstant", "%w9 = OpConstant %uint 9\n%grid = OpConstant"}
	for _, c := range []struct {
		name   string
		change []string
		want   string
	}{
		{"one workgroup writes each payload and three the buffer", one, "race between workgroups: buffer"},
		{"three workgroups write each payload", nil, "race between workgroups: payload"},
		{"each writes its own", one[:2], ""},
	} {
		for _, mode := range []string{config.ModeTimed, config.ModeFunctional} {
			fs := finishing(t, "", c.change...)
			fs["job.yaml"].Data = []byte(queues)
			s := graphSetup(t, fs, "rdna3-rx7900xtx")
			s.Mode, s.Check = mode, true
			r, err := Run(context.Background(), s)
			if r == nil || r.Checked == nil {
				t.Fatalf("%s, %s: %v", c.name, mode, err)
			}
			var found []string
			for i := range r.Checked.Findings {
				f := &r.Checked.Findings[i]
				found = append(found, string(f.Kind)+": "+f.Memory)
			}
			found = slices.Compact(found)
			if c.want == "" && len(found) > 0 || c.want != "" && !slices.Equal(found, []string{c.want}) {
				t.Errorf("%s, %s: found %q, want %q", c.name, mode, found, c.want)
			}
		}
	}
}
