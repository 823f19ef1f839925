package main

import (
	"errors"
	"fmt"
	"io"
	"runtime/pprof"

	"github.com/spf13/cobra"

	"spvsim/tracing"
)

// hostFlags concern the cost of a run on this computer.
type hostFlags struct {
	cpuProfile string
	hostPart   bool
}

func (f *hostFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.cpuProfile, "cpuprofile", "", "write a profile of this computer's processor time to this `file`, for go tool pprof")
	flags.BoolVar(&f.hostPart, "stats-host", true, "include in the statistics the cost of the run on this computer (the member host), which differs from run to run; with =false, files of two runs are the same")
}

// profileHost profiles this computer while do runs, if requested.
func (f *hostFlags) profileHost(c *cobra.Command, do func() error) error {
	if f.cpuProfile == "" {
		return do()
	}
	file, err := create(c, f.cpuProfile)
	if err != nil {
		return err
	}
	to := &output{to: file} // package pprof ignores errors of writing
	if err := pprof.StartCPUProfile(to); err != nil {
		return errors.Join(fmt.Errorf("--cpuprofile: %w", err), file.Close())
	}
	done := do()
	pprof.StopCPUProfile()
	return errors.Join(done, to.err, file.Close())
}

// written writes statistics as JSON.
func (f *hostFlags) written(s *tracing.Stats) func(io.Writer) error {
	plain := *s
	if !f.hostPart {
		plain.Host = tracing.Host{}
	}
	return func(w io.Writer) error { return tracing.WriteJSON(w, &plain) }
}
