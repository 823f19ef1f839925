package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// Every command in help has a page with all its flags, and no text is misread as a roff request.
func TestManualPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man1")
	if r := spvsim("", "man", dir); r.status != exitDone {
		t.Fatalf("status %d, %s", r.status, r.stderr)
	}
	request := regexp.MustCompile(`^\.(TH|SH|TP|PP|nf|fi)( |$)`)
	for _, c := range append(manCommands(newRoot()), newRoot()) {
		name := filepath.Join(dir, manName(c)+".1")
		text, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
			continue
		}
		for line := range strings.Lines(string(text)) {
			if (strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'")) && !request.MatchString(strings.TrimRight(line, "\n")) {
				t.Errorf("%s: %q is not a request", name, line)
			}
		}
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !strings.Contains(string(text), literal("--"+f.Name)) {
				t.Errorf("%s lacks --%s", name, f.Name)
			}
		})
		drawn(t, name, text)
	}
	wantRefused(t, spvsim("", "man"), "want a folder")
}

// drawn formats a page with groff, if installed, which warns about invalid input.
func drawn(t *testing.T, name string, text []byte) {
	t.Helper()
	if _, err := exec.LookPath("groff"); err != nil {
		return
	}
	c := exec.Command("groff", "-man", "-Tutf8", "-ww")
	var warnings bytes.Buffer
	c.Stdin, c.Stderr = bytes.NewReader(text), &warnings
	if out, err := c.Output(); err != nil || len(out) == 0 || warnings.Len() > 0 {
		t.Errorf("%s: %v\n%s%s", name, err, warnings.Bytes(), out)
	}
}

func TestRoffPrintsTextAsItIs(t *testing.T) {
	for text, want := range map[string]string{
		".SH is text": `\&.SH is text`, "'tis": `\&'tis`, `a\b`: `a\eb`, "--set": `\-\-set`,
	} {
		if got := literal(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
