package spirv

import "testing"

func TestSourceWords(t *testing.T) {
	s := &Source{File: "a.spvasm", Names: []string{"", "main", ""}}
	s.Positions = []TextPosition{{Word: 5, Line: 1, Column: 1, Source: s}, {Word: 7, Line: 2, Column: 9, Source: s}}
	for _, tt := range []struct{ got, want string }{
		{s.Name(1), "%main"},
		{s.Name(2), "%2"},
		{s.Name(9), "%9"},
		{(*Source)(nil).Name(1), "%1"},
		{s.Fault("spirv", 6, OpNop, 0, "why"), "a.spvasm:1:1: OpNop: why"},
		{s.Fault("spirv", 7, OpLoad, 1, "why"), "a.spvasm:2:9: OpLoad %main: why"},
		{s.Fault("spirv", 3, OpNop, 0, "why"), "spirv: word 3 (OpNop): why"},
		{(*Source)(nil).Fault("program", 7, OpLoad, 1, "why"), "program: word 7 (OpLoad %1): why"},
		{s.Sprintf("%%%d is %s, %d of 100%%: %%%d", uint32(1), "%1", 1, ID(2)), "%main is %1, 1 of 100%: %2"},
		{s.Sprintf("%q and %%%d", "%5", uint32(1)), `"%5" and %main`},
		{(*Source)(nil).Sprintf("%%%d", ID(1)), "%1"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}
