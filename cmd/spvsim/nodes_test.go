package main

import (
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// inspect prints the interface of a module's nodes.
func TestInspectPrintsNodes(t *testing.T) {
	r := spvsim("", "inspect", "../../program/frontend/testdata/graph/minimal.spvasm")
	want := `node "split" index 0: static 1x1x1 workgroups, no input, local size 4x1x1
  output 0 -> "square"[0..0]: up to 4 payloads of 4 bytes
node "square" index 0: static 1x1x1 workgroups, payload of 4 bytes, local size 1x1x1, not dispatched by the host
`
	r.prints(t, exitDone, "\n"+want+"program  split on ")
}

func TestValidateWarnings(t *testing.T) {
	r := spvsim("", "validate", "../../program/frontend/testdata/graph/dxc.spvasm")
	if r.status != exitDone || !strings.HasSuffix(r.stdout, ": valid\n") {
		t.Errorf("status %d, output %q, want a valid module", r.status, r.stdout)
	}
	suite.Contains(t, r.stderr, "warning: ")
	if strict := spvsim("", "validate", "--strict", "../../program/frontend/testdata/graph/dxc.spvasm"); strict.status == exitDone || strict.stdout != "" ||
		strings.Count(strict.stderr, "(rule ") != strings.Count(r.stderr, "(rule ") || strings.Contains(strict.stderr, "warning: ") {
		t.Errorf("--strict: status %d, output %q, standard error %q: want the warnings as errors", strict.status, strict.stdout, strict.stderr)
	}
}
