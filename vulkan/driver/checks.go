package driver

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"spvsim/gpu"
)

// A checkFile is where a device says what the check of its dispatches found, in the folder SPVSIM_CHECK. It is rewritten
// as work ends, so that it survives a crash of the application.
type checkFile struct {
	path    string
	written uint64 // occurrences
}

// newCheckFile returns a file if SPVSIM_CHECK is set.
func newCheckFile(d *logicalDevice) *checkFile {
	folder := os.Getenv("SPVSIM_CHECK")
	if folder == "" {
		return nil
	}
	return &checkFile{path: filepath.Join(folder, fmt.Sprintf("%d-%d.json", os.Getpid(), devices+1))}
}

// write writes the file anew if there is more to say. Nothing runs on the device.
func (c *checkFile) write(g *gpu.Device) {
	if c == nil {
		return
	}
	r := g.Checked()
	n := r.OutOfBounds + uint64(len(r.Unchecked))
	for i := range r.Findings {
		n += r.Findings[i].Count
	}
	if n == c.written {
		return
	}
	c.written = n
	f, err := os.Create(c.path)
	if err == nil {
		err = errors.Join(r.Write(f), f.Close())
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "spvsim: SPVSIM_CHECK: %v\n", err)
	}
}
