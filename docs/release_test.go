package docs_test

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

var buildRelease = flag.Bool("release.build", false, "build the archives of a release, which links the command twice more")

// The release script builds an archive for this system, twice the same bytes: with a command that knows its commit, its checksum, and
// the licences of the fonts, the data and every module in it.
func TestReleaseIsWhole(t *testing.T) {
	if !*buildRelease {
		t.Skip("runs with -release.build in a step of its own")
	}
	if runtime.GOOS != "linux" {
		t.Skip("wants GNU tar")
	}
	if exec.Command("git", "-C", "..", "rev-parse", "HEAD").Run() != nil {
		t.Skip("not a clone")
	}
	target := runtime.GOOS + "/" + runtime.GOARCH
	var sums [2][]byte
	var dir string
	for i := range sums {
		dir = t.TempDir()
		if out, err := exec.Command("../.ci/release", dir, target).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		sums[i] = suite.Must(os.ReadFile(filepath.Join(dir, "SHA256SUMS")))(t)
	}
	if !bytes.Equal(sums[0], sums[1]) {
		t.Errorf("built twice, the archives differ:\n%s%s", sums[0], sums[1])
	}
	archives := suite.Must(filepath.Glob(filepath.Join(dir, "*.tar.gz")))(t)
	if len(archives) != 1 {
		t.Fatalf("found %q: want one archive", archives)
	}
	if sum := sha256.Sum256(suite.Must(os.ReadFile(archives[0]))(t)); !strings.HasPrefix(string(sums[0]), fmt.Sprintf("%x  ", sum)) {
		t.Errorf("SHA256SUMS has %s for %x", sums[0], sum)
	}
	suite.OK(t, exec.Command("tar", "-xzf", archives[0], "-C", dir).Run())
	folder := strings.TrimSuffix(archives[0], ".tar.gz")
	version := string(suite.Must(exec.Command(filepath.Join(folder, "spvsim"), "version").Output())(t))
	revision := strings.TrimSpace(string(suite.Must(exec.Command("git", "rev-parse", "HEAD").Output())(t)))
	suite.Contains(t, version, target, "statistics 1")
	if info, err := os.Stat("../.git"); err == nil && info.IsDir() { // of a linked work tree Go records no revision
		suite.Contains(t, version, "revision "+revision)
	}
	for name, words := range map[string]string{
		"NOTICE.md": "SIL Open Font License", "LICENSE": "MIT", "licences/codeberg.org_go-fonts_liberation_LICENSE-SIL": "SIL OPEN FONT LICENSE",
		"licences/spirv-headers": "Khronos", "licences/mi300a-times": "Permission is hereby granted", "licences/go": "Redistribution",
		"licences/github.com_spf13_cobra_LICENSE.txt": "Apache License",
	} {
		suite.Contains(t, string(suite.Must(os.ReadFile(filepath.Join(folder, name)))(t)), words)
	}
}
