package fault

import "testing"

func TestText(t *testing.T) {
	for _, c := range []struct {
		f    Fault
		want string
	}{
		{Fault{File: "a.yaml", Line: 3, Path: "lds.banks", Msg: "found 3"}, "config: a.yaml:3: lds.banks: found 3"},
		{Fault{File: "a.yaml", Path: "lds.banks", Msg: "found 3"}, "config: a.yaml: lds.banks: found 3"},
		{Fault{Line: 3, Msg: "found 3"}, "config: found 3"},
		{Fault{Path: "x\x1b[31m", Msg: "a\nb"}, `config: x\x1b[31m: a` + "\nb"},
	} {
		if got := c.f.Text("config"); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
