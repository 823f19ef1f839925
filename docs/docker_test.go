package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The Dockerfile fits the repository: its Go is go.mod's, and the build commands build what its second part copies. No engine is asked.
func TestDockerfileBuilds(t *testing.T) {
	text, err := os.ReadFile("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	module, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	asked := regexp.MustCompile(`(?m)^FROM golang:([0-9.]+)-`).FindStringSubmatch(string(text))
	wanted := regexp.MustCompile(`(?m)^go ([0-9]+\.[0-9]+)`).FindStringSubmatch(string(module))
	if asked == nil || wanted == nil || asked[1] != wanted[1] {
		t.Errorf("the Dockerfile builds with Go %v, go.mod asks for %v", asked, wanted)
	}
	if testing.Short() {
		t.Skip("builds the command and the driver")
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("gcc is not installed")
	}
	out := filepath.Join(t.TempDir(), "out")
	run := regexp.MustCompile(`(?m)^RUN (mkdir /out .*)$`).FindStringSubmatch(string(text))
	if run == nil {
		t.Fatal("no line builds")
	}
	c := exec.Command("sh", "-ec", strings.ReplaceAll(run[1], "/out", out))
	c.Dir = ".."
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	copied := regexp.MustCompile(`(?m)^COPY --from=build (.*) /`).FindStringSubmatch(string(text))
	for _, name := range strings.Fields(copied[1]) {
		if _, err := os.Stat(strings.Replace(name, "/out", out, 1)); err != nil {
			t.Error(err)
		}
	}
}
