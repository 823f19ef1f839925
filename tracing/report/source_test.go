package report

import (
	"testing"

	"spvsim/account"
	"spvsim/tracing/profile"
)

// Lines of the source have the cycles of all their instructions.
func TestSourceLines(t *testing.T) {
	l := profile.Listing{Name: "main", Source: []profile.SourceLine{{File: "a.comp", Line: 3, Text: "x < y"}, {File: "a.comp", Line: 7, Text: "b();"}}}
	for i, line := range []uint32{7, 3, 0, 7} {
		x := profile.Line{Line: line, Class: "valu32", Text: "v_x", Issues: 10}
		x.Cycles[account.Memory] = uint64(100 * (i + 1))
		l.Lines = append(l.Lines, x)
	}
	list := sourceRows(&l)
	if len(list) != 2 || list[0].Line != "3" || list[0].Cycles != "200" || list[0].Share != "20.0%" || list[1].Issues != "20" || list[1].Cycles != "500" || list[1].Reason != "memory" {
		t.Errorf("%+v", list)
	}
}
