package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// stream is the output of go test -json for one test of each result.
const stream = `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:3: gcc is not installed\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"--- SKIP: TestA (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestA"}
{"Action":"run","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:4: chatter\n"}
{"Action":"pass","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Action":"pass","Package":"p"}
`

func TestSkips(t *testing.T) {
	failing := strings.Replace(stream, `{"Action":"pass","Package":"p","Test":"TestB"}`, `{"Action":"fail","Package":"p","Test":"TestB"}`, 1)
	for name, c := range map[string]struct{ stream, allowed, want, prints string }{
		"allowed":     {stream, "# what may skip\np TestA needs a compiler\n", "", "ok  \tp\t0.1s\n"},
		"not allowed": {stream, "p TestB of no account\nq TestA in another package\n", "p TestA: a_test.go:3: gcc is not installed", ""},
		"failed":      {failing, "p TestA needs a compiler\n", "1 tests and packages failed", "b_test.go:4: chatter"},
		"no reason":   {stream, "p TestA\n", "line 1: found \"p TestA\": want a package, a test and a reason", ""},
		"build":       {"# p\np.go:3: no\n" + stream, "p TestA needs a compiler\n", "", "p.go:3: no\n"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "allowed")
			suite.OK(t, os.WriteFile(file, []byte(c.allowed), 0o644))
			var out strings.Builder
			err := run([]string{file}, strings.NewReader(c.stream), &out)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
			suite.Contains(t, out.String(), c.prints)
			if strings.Contains(out.String(), "chatter") && c.prints != "b_test.go:4: chatter" {
				t.Errorf("printed the output of a test that passed: %q", out.String())
			}
		})
	}
}
