package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"spvsim/config"
	"spvsim/internal/files"
	"spvsim/tracing/perfetto"
	"spvsim/vulkan/launch"
)

// wavesFlags select the waves in the trace of a program.
type wavesFlags struct {
	dispatches, units, limit string
}

func (f *wavesFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.dispatches, "trace-waves", "", "add every wave of the dispatches that match these `patterns` to the trace, in its slot")
	flags.StringVar(&f.units, "trace-cus", "", "trace only waves of these compute `units`, counted over all shader engines: 0,3-5 (default all)")
	flags.StringVar(&f.limit, "trace-limit", "512M", "end the trace of waves, with a note in it, at this number of `bytes` (K, M, G); 0: no limit")
}

// check refuses values that the driver could not use.
func (f *wavesFlags) check(c *cobra.Command, trace, mode string) error {
	if f.dispatches == "" {
		for _, name := range []string{"trace-cus", "trace-limit"} {
			if c.Flags().Changed(name) {
				return fmt.Errorf("--%s: want --trace-waves with it", name)
			}
		}
		return nil
	}
	if trace == "" {
		return errors.New("--trace-waves: want --trace with it")
	}
	if mode == config.ModeFunctional {
		return fmt.Errorf("--trace-waves: found --mode %s, in which waves take no time: want timed or sampled", mode)
	}
	if n, err := parseBytes(f.limit); err != nil {
		return fmt.Errorf("--trace-limit: %w", err)
	} else if n != 0 && n < perfetto.MinLimit {
		return fmt.Errorf("--trace-limit %s: want at least %d bytes, or 0 for no limit", f.limit, perfetto.MinLimit)
	}
	if f.units != "" {
		if _, err := perfetto.ParseRanges(f.units, 1<<30); err != nil {
			return fmt.Errorf("--trace-cus: %w", err)
		}
	}
	return nil
}

// chosenFor returns the driver's settings, with the folder of its trace.
func (f *wavesFlags) chosenFor(folder string) launch.Waves {
	if f.dispatches == "" {
		return launch.Waves{}
	}
	limit, _ := parseBytes(f.limit) // checked before
	return launch.Waves{Folder: folder, Select: f.dispatches, Units: f.units, Limit: limit}
}

// join writes the traces that the driver left after that of the program: tracks of all of them have their own numbers.
func (f *wavesFlags) join(c *cobra.Command, w io.Writer, folder string) error {
	if f.dispatches == "" {
		return nil
	}
	names, err := filepath.Glob(filepath.Join(folder, "*.pftrace"))
	if err == nil && len(names) == 0 {
		fmt.Fprintf(c.ErrOrStderr(), "spvsim: --trace-waves %s: no dispatch of such a name was timed: the trace has no waves (names are those of --rows)\n", f.dispatches)
	}
	for _, name := range names {
		err = errors.Join(err, appendFile(w, name))
	}
	return err
}

func appendFile(w io.Writer, name string) error {
	file, err := files.OS().Open(name) // at most as long as the limit that the driver got
	if err != nil {
		return err
	}
	_, err = io.Copy(w, file)
	return errors.Join(err, file.Close())
}
