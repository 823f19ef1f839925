package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"

	"spvsim/experiments/sweep"
)

// identity identifies the simulator's build: by its commit or, if it was not built from a clean one, by a digest of the
// program's file, which is read once.
var identity = sync.OnceValues(findIdentity)

func findIdentity() (sweep.Identity, error) {
	version, exact := buildVersion()
	id := sweep.Identity{Version: version, Build: version}
	if exact {
		return id, nil
	}
	name, err := ownProgram()
	if err != nil {
		return id, err
	}
	f, err := os.Open(name)
	if err != nil {
		return id, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return id, err
	}
	id.Build += " " + hex.EncodeToString(h.Sum(nil))
	return id, nil
}

// ownProgram returns the file of this program. Without /proc, as in a bare root, it is the one that the command line names.
func ownProgram() (string, error) {
	name, err := os.Executable()
	if err == nil {
		return name, nil
	}
	if name, err = exec.LookPath(os.Args[0]); err != nil {
		return "", err
	}
	return filepath.Abs(name)
}

// release is the number of the version that CHANGELOG.md and CITATION.cff have, or of the one in the making.
const release = "0.1.0"

// versionText is the release, and the commit that the program was built from where the build knows it.
func versionText() string {
	text := "spvsim " + release
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return text
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if revision := settings["vcs.revision"]; revision != "" {
		text += " revision " + revision
	}
	if settings["vcs.modified"] == "true" {
		text += " with changes"
	}
	return text
}

// buildVersion returns the module's version in the build information; exact: it identifies one state of the sources.
func buildVersion() (version string, exact bool) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown", false
	}
	version = info.Main.Version
	exact = version != "" && version != "(devel)" && !strings.Contains(version, "+dirty")
	return version, exact
}
