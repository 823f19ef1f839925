package gpu

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

// What a job gives and no shader takes is named with its place, and nothing that is taken by any launch.
func TestUnusedBindingsAndPushConstants(t *testing.T) {
	const head = "shader: scale.spvasm\nbuffers:\n- {set: 0, binding: 0, name: a, data: {iota: u32, count: 256}}\n"
	for _, c := range []struct {
		text string
		want []string
	}{
		{head + "push_constants: [{u32: 7}]\ndispatch: [4]\n", nil},
		{head + "- {set: 0, binding: 4, name: b, data: {zero: 4}}\npush_constants: [{u32: 7}]\ndispatch: [4]\n", []string{"job.yaml:4: buffers[1]: no shader that runs uses set 0, binding 4"}},
		{head + "- {unbound: true, name: b, data: {zero: 4}}\npush_constants: [{u32: 7}]\ndispatch: [4]\n", nil},
		{head + "- {set: 0, binding: 4, name: b, data: {zero: 8}}\n- {set: 0, binding: 5, name: c, part_of: b}\npush_constants: [{u32: 7}]\ndispatch: [4]\n",
			[]string{"job.yaml:5: buffers[2]: no shader that runs uses set 0, binding 5"}},
		{head + "- {set: 0, binding: 4, name: b, data: {zero: 4}}\npush_constants: [{u32: 7}]\nsteps: [{dispatch: [1]}, {dispatch: [1], bindings: [{set: 0, binding: 0, buffer: b}]}]\n", nil},
		{head + "push_constants: [{u32: 7}]\nsteps:\n- {dispatch: [1]}\n- {dispatch: [1], bindings: [{set: 3, binding: 0, buffer: a}]}\n", []string{"job.yaml:7: steps[1].bindings: no shader that runs uses set 3, binding 0"}},
		{head + "samplers: [{set: 0, binding: 0}]\npush_constants: [{u32: 7}]\ndispatch: [4]\n", []string{"job.yaml:4: samplers[0]: no shader that runs uses set 0, binding 0"}},
		{head + "push_constants: [{u32: 7}, {u32: 8}]\ndispatch: [4]\n", []string{"job.yaml:4: push_constants: found 8 bytes: the block of scale.spvasm has 4"}},
		{head + "push_constants: [{u32: 7}]\ndispatch: [0, 1, 1]\n", []string{"job.yaml:5: dispatch: found 0 x 1 x 1 workgroups: nothing runs"}},
		{head + "push_constants: [{u32: 7}]\nsteps:\n- {for: {i: 0..3}, dispatch: [1, i]}\n", []string{"job.yaml:6: steps[0].dispatch: found 1 x 0 x 1 workgroups: nothing runs"}},
		{"shader: hello.spvasm\npush_constants: [{u32: 7}]\ndispatch: [1]\n", []string{"job.yaml:2: push_constants: found 4 bytes: hello.spvasm has no push constants"}},
		// A step that inherits the block need not have one, if another has.
		{head + "push_constants: [{u32: 7}]\nsteps: [{dispatch: [1]}, {shader: hello.spvasm, dispatch: [1]}]\n", nil},
	} {
		s := setup(t, c.text, "gcn3-r9nano")
		r, err := Run(context.Background(), s)
		if err != nil || !slices.Equal(r.Unused, c.want) {
			t.Errorf("%s: %q (%v), want %q", c.text, r.Unused, err, c.want)
			continue
		}
		s.Strict = true
		_, err = Run(context.Background(), s)
		if strict := errors.Is(err, ErrStrict) && errors.Is(err, ErrInput); strict != (c.want != nil) || strict && !strings.Contains(err.Error(), c.want[0]) {
			t.Errorf("%s: strict: %v", c.text, err)
		}
	}
}

// Accesses out of bounds are known after the run alone.
func TestStrictRunsThatWarn(t *testing.T) {
	s := setup(t, strings.Replace(scale, "dispatch: [4]", "dispatch: [5]", 1), "gcn3-r9nano")
	s.Strict = true
	r, err := Run(context.Background(), s)
	if !errors.Is(err, ErrStrict) || !errors.Is(err, ErrRun) || r == nil || len(r.Faults) == 0 {
		t.Errorf("%v", err)
	}
	s = setup(t, scale, "gcn3-r9nano")
	s.Strict = true
	if _, err := Run(context.Background(), s); err != nil {
		t.Error(err)
	}
}
