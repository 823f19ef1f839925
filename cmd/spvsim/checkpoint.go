package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"spvsim/gpu"
	"spvsim/internal/files"
)

// checkpointFlags save the state of a run between launches, or begin with a saved one.
type checkpointFlags struct {
	file, resume string
	every        uint64
	saved        int // states
	from         io.ReadCloser
}

func (f *checkpointFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.file, "checkpoint", "", "between launches, replace this `file` by the state of the run: memory, caches, DRAM, counters and profile, for --resume")
	addInteger(flags, &f.every, "every", 1, 1, 1<<32, "`launches` between two states of --checkpoint")
	flags.StringVar(&f.resume, "resume", "", "begin with the state in this `file`; the run ends as one does that has not stopped. The build of spvsim, the job, its parameters and its machine must be the same")
}

// prepare opens the state to begin with.
func (f *checkpointFlags) prepare(c *cobra.Command, s *gpu.Setup, t *traceFlags) error {
	if f.file == "" && c.Flags().Changed("every") {
		return errors.New("--every: want --checkpoint with it")
	}
	if f.file == "" && f.resume == "" {
		return nil
	}
	for _, of := range []struct{ flag, value string }{{"trace", t.trace}, {"accesses", t.accesses.file}, {"daisen", t.daisen}, {"monitor", t.monitor}} {
		if of.value != "" {
			return fmt.Errorf("--%s: want no --checkpoint and no --resume with it: what was written or shown before a checkpoint is not part of it", of.flag)
		}
	}
	if c.Flags().Changed("what-if") {
		return errors.New("--what-if: want no --checkpoint and no --resume with it: the other machines run the whole job")
	}
	id, err := identity()
	if err != nil {
		return err
	}
	s.Checkpoints = &gpu.Checkpoints{Build: id.Build, Every: int(f.every)}
	if f.file != "" {
		s.Checkpoints.Save = func(write func(io.Writer) error) error { f.saved++; return replaceFile(f.file, write) }
	}
	if f.resume != "" {
		if f.from, err = files.OS().Open(f.resume); err != nil {
			return fmt.Errorf("--resume: %w", err)
		}
		s.Checkpoints.Resume = f.from
	}
	return nil
}

// finish closes the state that the run began with, and says if a run without an error has saved none.
func (f *checkpointFlags) finish(c *cobra.Command, err error) error {
	if f.file != "" && f.saved == 0 && err == nil {
		fmt.Fprintf(c.ErrOrStderr(), "spvsim: --checkpoint %s: not written: the run has no launch after %s; launches of queues overlap, and all of a round are one\n",
			f.file, counted(int(f.every), "other"))
	}
	if f.resume != "" && errors.Is(err, gpu.ErrCheckpoint) {
		err = fmt.Errorf("--resume %s: %w", f.resume, err)
	}
	if f.from != nil {
		err = errors.Join(err, f.from.Close())
	}
	return err
}

// replaceFile writes a file under another name, and gives it its name when it is whole.
func replaceFile(name string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
