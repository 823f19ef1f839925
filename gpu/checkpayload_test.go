package gpu

import (
	"context"
	"errors"
	"slices"
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
		{"written after its enqueue", []string{"OpEnqueueNodePayloadsAMDX %array", "OpEnqueueNodePayloadsAMDX %array\nOpStore %size %u1"}, "", true},
		{"written before its enqueue", append(readAt("%u0"), "OpStore %size %grid", "OpStore %size %grid\nOpStore %size %u1"), "", false},
	} {
		for _, mode := range []string{config.ModeTimed, config.ModeFunctional} {
			s := graphSetup(t, finishing(t, "{entry: send}, {entry: own}", c.change...), "rdna3-rx7900xtx")
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
