//go:build unix

package config

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"spvsim/internal/suite"
)

// The amounts that a file can request are bounded, and the bound is checked before anything of that size is read or
// allocated.
func TestFilesAskForNoMoreThanThereIs(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	const head = "shader: a.spv\ndispatch: [1]\nbuffers:\n  - {name: b, data: "
	for _, c := range []struct{ text, want string }{
		{head + "{file: pipe}}", "found a pipe, socket or device: want a regular file"},
		{head + "{file: /dev/zero}}", "found a pipe, socket or device: want a regular file"},
		{head + "{file: .}}", "found a folder"},
		{head + "{zero: 2000}}", "config: j.yaml:4: buffers[0].data.zero: found 2000 bytes: want at most 1000, which memory.bytes leaves"},
		{head + "{parts: [{zero: 600}, {zero: 600}]}}", "found 600 bytes after 600: want at most 1000, which memory.bytes leaves"},
		{head + "{repeat: {times: 4000000000, data: {zero: 1}}}}", "4000000000 times 1 bytes: want at most 1000, which memory.bytes leaves"},
		{"shader: a.spv\ndispatch: [1]\nbuffers:\n  - {name: b, image: {format: Rgba32f, width: 8, height: 8}}", "image: found 1024 bytes: want at most 1000, which memory.bytes leaves"},
	} {
		j := suite.Must(ParseJob(dirFS{dir}, "j.yaml", []byte(c.text)))(t)
		if _, err := j.Buffers[0].ContentWithin(1000, "memory.bytes"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\nfound %v\nwant %s", c.text, err, c.want)
		}
	}
}

// dirFS opens names in a folder, and absolute ones at their path.
type dirFS struct{ dir string }

func (d dirFS) name(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(d.dir, name)
}

func (d dirFS) Open(name string) (fs.File, error)     { return os.Open(d.name(name)) }
func (d dirFS) Stat(name string) (fs.FileInfo, error) { return os.Stat(d.name(name)) }
