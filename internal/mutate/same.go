package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// same says that the compiler makes the same of the package with the change as of the one without: nothing can notice it.
func (c *change) same(dir string) (bool, error) {
	was, err := content(c.pkg())
	if err != nil {
		return false, err
	}
	overlay, err := c.overlay(dir)
	if err != nil {
		return false, err
	}
	is, err := content(c.pkg(), "-overlay", overlay)
	return is == was, err
}

// overlay puts the file with the change alone in place. What follows the change is on the lines that it was on, which are part of the program.
func (c *change) overlay(dir string) (string, error) {
	root, err := os.Getwd()
	if err != nil {
		return "", err
	}
	lines := strings.Repeat("\n", strings.Count(string(c.source[c.from:c.to]), "\n"))
	text := replaced(c.source, 0, len(c.source), []edit{{c.from, c.to, c.text + lines}})
	file, overlay := filepath.Join(dir, "alone.go"), filepath.Join(dir, "alone.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, c.file): file}})
	if err != nil {
		return "", err
	}
	return overlay, os.WriteFile(overlay, list, 0o600)
}

// content identifies what the compiler made of a package: the second half of its build's name, of which the first is that of its sources.
// Without inlining, as the sources of what may be inlined are a part of it otherwise.
func content(pkg string, flags ...string) (string, error) {
	out, err := exec.Command("go", append(append([]string{"list", "-export", "-gcflags=-l", "-f", "{{.BuildID}}"}, flags...), "./"+pkg)...).Output()
	if err != nil {
		return "", fmt.Errorf("go list -export %s: %w", pkg, err)
	}
	_, made, ok := strings.Cut(strings.TrimSpace(string(out)), "/")
	if !ok {
		return "", fmt.Errorf("go list -export %s: %q: want a build's name in two halves", pkg, out)
	}
	return made, nil
}
