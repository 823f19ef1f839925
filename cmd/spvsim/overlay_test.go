package main

import (
	"bytes"
	"strings"
	"testing"

	"spvsim/internal/suite"
	"spvsim/program"
	"spvsim/spirv/validate"
)

func TestInspectDrawsTheOverlay(t *testing.T) {
	r := spvsim(string(ready(t, "planes", "planes.spv")), "inspect", "-")
	want := `LDS of main: 1024 bytes, 2 views of them
  bytes    bytes      words
  0..1023  u8[1024] b  u32[256] w
`
	if r.status != exitDone || !strings.Contains(squeeze(r.stdout), squeeze(want)) {
		t.Errorf("%s%s, want in it\n%s", r.stdout, r.stderr, want)
	}
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// Members begin, continue, leave gaps and end.
func TestOverlayOfUnlikeViews(t *testing.T) {
	views := []program.LDSView{
		{ID: 1, Bytes: 64, Members: []program.LDSMember{{Name: "a", Offset: 0, Bytes: 4}, {Name: "b", Offset: 16, Bytes: 48}}},
		{ID: 2, Bytes: 32, Members: []program.LDSMember{{Name: "c", Offset: 0, Bytes: 32}}},
	}
	var b bytes.Buffer
	suite.OK(t, overlay(&b, &validate.Module{}, "title", views))
	want := "title bytes %1 %2 0..3 untyped a untyped c 4..15 . | 16..31 untyped b | 32..63 |"
	if got := squeeze(b.String()); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
