package driver

import (
	"errors"
	"fmt"
	"os"

	"spvsim/check"
	"spvsim/gpu"
	"spvsim/vulkan/vk"
)

// A checkFile is where a device says what the check of its dispatches found, in the folder SPVSIM_CHECK. It is there from the
// device's creation on, so that a reader knows that the device was checked, and replaced as work ends, so that it survives a
// crash of the application.
type checkFile struct {
	path    string
	robust  bool   // accesses out of bounds are defined
	written uint64 // occurrences
}

// newCheckFile makes a file, which no other process has, if SPVSIM_CHECK is set.
func newCheckFile(robust bool) *checkFile {
	folder := os.Getenv("SPVSIM_CHECK")
	if folder == "" {
		return nil
	}
	f, err := os.CreateTemp(folder, fmt.Sprintf("%d-%d-*.json", os.Getpid(), devices+1))
	if err == nil {
		r := check.New().Report()
		err = errors.Join(r.Write(f), f.Close())
	}
	if err != nil {
		fail(vk.ErrorInitializationFailed, "SPVSIM_CHECK: %v", err)
	}
	return &checkFile{path: f.Name(), robust: robust}
}

// write replaces the file if there is more to say. Nothing runs on the device.
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
	if c.robust {
		r.RobustOutOfBounds, r.OutOfBounds = r.OutOfBounds, 0
	}
	if err := c.replace(&r); err != nil {
		fmt.Fprintf(os.Stderr, "spvsim: SPVSIM_CHECK: %v\n", err)
	}
}

// replace puts another report in the file's place, in one step: whoever ends the process, a whole one is there.
func (c *checkFile) replace(r *check.Report) error {
	f, err := os.Create(c.path + ".new")
	if err != nil {
		return err
	}
	if err := errors.Join(r.Write(f), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), c.path)
}
