package docs_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

var buildImage = flag.Bool("docker.build", false, "run the build commands of the Dockerfile, which link the command and the driver once more")

// buildCommands are those that other tests run: tools of this package links the command, the tests of package vulkan the driver.
var buildCommands = []string{"mkdir /out", "go build -o /out/spvsim ./cmd/spvsim", "go build -buildmode=c-shared -o /out/libspvsim_vulkan.so ./vulkan"}

// The Dockerfile fits the repository: its Go is go.mod's, and its commands are those that build what its second part copies. No engine is asked.
func TestDockerfileBuilds(t *testing.T) {
	text := readText(t, "../Dockerfile")
	asked := regexp.MustCompile(`(?m)^FROM golang:([0-9.]+)-`).FindStringSubmatch(text)
	wanted := regexp.MustCompile(`(?m)^go ([0-9.]+)`).FindStringSubmatch(readText(t, "../go.mod"))
	if asked == nil || wanted == nil || asked[1] != wanted[1] {
		t.Errorf("the Dockerfile builds with Go %v, go.mod asks for %v", asked, wanted)
	}
	for _, from := range regexp.MustCompile(`(?m)^FROM (\S+)`).FindAllStringSubmatch(text, -1) {
		if !regexp.MustCompile(`:[0-9]+\.[0-9]+(\.[0-9]+)?-|@sha256:[0-9a-f]{64}$`).MatchString(from[1]) {
			t.Errorf("it is from %s: want an exact version or a digest", from[1])
		}
	}
	if user := regexp.MustCompile(`(?m)^USER (\S+)\n(?:.*\n)*ENTRYPOINT`).FindStringSubmatch(text); user == nil || user[1] == "root" || user[1] == "0" {
		t.Errorf("it runs as %v: want a user without rights", user)
	}
	run := regexp.MustCompile(`(?m)^RUN (mkdir /out .*)$`).FindStringSubmatch(text)
	copied := regexp.MustCompile(`(?m)^COPY --from=build (.*) /`).FindStringSubmatch(text)
	if run == nil || copied == nil {
		t.Fatalf("it builds with %q and copies %q", run, copied)
	}
	if got := strings.Split(run[1], " && "); !slices.Equal(got, buildCommands) {
		t.Errorf("it builds with %q, want %q", got, buildCommands)
	}
	if main := readText(t, "../vulkan/main.go"); !strings.Contains(main, "//\t"+strings.Replace(buildCommands[2], "/out/", "", 1)+"\n") {
		t.Errorf("the driver's main.go does not say %q", buildCommands[2])
	}
	for _, name := range strings.Fields(copied[1]) {
		if !strings.Contains(run[1], " -o "+name+" ") {
			t.Errorf("it copies %s, which nothing builds", name)
		}
	}
	if *buildImage {
		buildInto(t, filepath.Join(t.TempDir(), "out"), run[1], strings.Fields(copied[1]))
	}
}

// buildInto runs the commands with another folder for /out, and looks for the files there.
func buildInto(t *testing.T, out, commands string, files []string) {
	t.Helper()
	c := exec.Command("sh", "-ec", strings.ReplaceAll(commands, "/out", out))
	c.Dir = ".."
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, name := range files {
		if _, err := os.Stat(strings.Replace(name, "/out", out, 1)); err != nil {
			t.Error(err)
		}
	}
}

func readText(t *testing.T, name string) string {
	t.Helper()
	text := suite.Must(os.ReadFile(name))(t)
	return string(text)
}
