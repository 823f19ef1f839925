package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"spvsim/config"
	"spvsim/experiments/measure"
	"spvsim/experiments/sweep"
	"spvsim/internal/files"
	"spvsim/vulkan/device"
)

// measurePointName is the hidden command by which sweeps measure a point in a process of its own.
const measurePointName = "measure-point"

func measurePointCommand() *cobra.Command {
	return &cobra.Command{
		Use:    measurePointName,
		Short:  "Measure one point of a sweep",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return unbounded(c, func() error {
				var q measure.Request
				if err := json.NewDecoder(c.InOrStdin()).Decode(&q); err != nil {
					return fmt.Errorf("want a point on standard input: %w", err)
				}
				return json.NewEncoder(asIs(c.OutOrStdout())).Encode(measure.MeasurePoint(c.Context(), &q, time.Now()))
			})
		},
	}
}

// sweepMeasure are the flags of a sweep that measures its points.
type sweepMeasure struct {
	on          bool
	device      string
	repetitions int
	rows        string
}

func (f *sweepMeasure) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.on, "measure", false, "also run each point's job on a Vulkan device of this computer, one after the other, and add the measured times to its row; points that differ in the machine alone are measured once")
	c.Flags().StringVar(&f.device, "device", "", deviceUsage+"; with --measure")
	addInteger(c.Flags(), &f.repetitions, "repetitions", 20, 1, 100000, "`number` of times that the job of a point is timed; with --measure")
	c.Flags().StringVar(&f.rows, "measured", "", "add the measured times of this `file` of rows (.csv) instead, of an earlier sweep --measure of the same experiment, on any machine")
	c.MarkFlagsMutuallyExclusive("measure", "measured")
}

// addMeasured adds the measurements of all points to their rows.
func (f *sweepFlags) addMeasured(c *cobra.Command, plan *sweep.Plan, t *sweep.Table) error {
	if name := f.measure.rows; name != "" {
		data, err := files.Read(name, maxRowsBytes)
		if err == nil {
			err = measure.Recorded(t, bytes.NewReader(data))
		}
		if err != nil {
			return fmt.Errorf("--measured: %s: %w", name, err)
		}
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	known := map[string]*measure.Point{}
	list := make([]*measure.Point, t.Rows)
	for i, point := range t.Points() {
		spec := plan.Specs[point]
		key, err := json.Marshal([]any{spec.Job, spec.JobSettings()})
		if err != nil {
			return err
		}
		if known[string(key)] == nil {
			q := &measure.Request{Spec: spec, Device: f.measure.device, Seconds: defaultMeasureSeconds, Options: measure.Options{WarmUps: 3, Repetitions: f.measure.repetitions}}
			if f.Limits.Seconds > 0 {
				q.Seconds = f.Limits.Seconds
			}
			if known[string(key)], err = measureSpec(c.Context(), self, q); err != nil {
				return err
			}
			if !f.quiet {
				fmt.Fprintf(c.ErrOrStderr(), "spvsim: measured point %d of %d\n", i+1, t.Rows)
			}
		}
		list[i] = known[string(key)]
	}
	measure.Columns(t, list)
	return nil
}

// measureSpec measures a point in a process of its own, which a fault of the driver may end.
func measureSpec(ctx context.Context, self string, q *measure.Request) (*measure.Point, error) {
	text, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, time.Duration(q.Seconds*float64(time.Second))+endTimeout)
	defer cancel()
	var out, complaint bytes.Buffer
	child := exec.CommandContext(limited, self, measurePointName)
	child.Stdin, child.Stdout, child.Stderr, child.WaitDelay = bytes.NewReader(text), &out, &complaint, endTimeout
	runErr := child.Run()
	p := &measure.Point{}
	switch {
	case ctx.Err() != nil:
		return nil, errInterrupted
	case limited.Err() != nil:
		p.Error = fmt.Sprintf("the device's driver did not return within %g seconds", q.Seconds)
	case runErr != nil:
		p.Error = strings.Join(strings.Fields(fmt.Sprintf("the device's driver ended the process (%v) %s", runErr, complaint.String())), " ")
	default:
		err = json.Unmarshal(out.Bytes(), p)
	}
	return p, err
}

func compareCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "compare ROWS.csv",
		Short: "Show simulated beside measured times of the rows of sweep --measure",
		Long: `Show simulated beside measured times, of the rows of sweep --measure: the constants of micro-benchmarks with the keys of the machine
that hold them, and the times of kernels, the worst first. The factor of a point is the larger time over the smaller one; the weighted
error is the sum of all differences over the sum of the measured times.`,
		Example: `  spvsim sweep validate-device --measure -o results
  spvsim compare results/validate-device.csv`,
		Args: exactly(1, "a file of rows (.csv) of sweep --measure"),
		RunE: func(c *cobra.Command, args []string) error {
			comparison, err := readComparison(args[0])
			if err != nil {
				return err
			}
			return comparison.Write(c.OutOrStdout())
		},
	}
}

func readComparison(name string) (*measure.Comparison, error) {
	data, err := files.Read(name, maxRowsBytes)
	if err != nil {
		return nil, err
	}
	comparison, err := measure.Compare(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return comparison, nil
}

// maxRowsBytes bounds files of rows.
const maxRowsBytes = 1 << 26

// machineFitCommand chooses constants of a machine by those of a device.
func machineFitCommand() *cobra.Command {
	var base, out string
	c := &cobra.Command{
		Use:   "fit ROWS.csv",
		Short: "Write a machine with the constants that micro-benchmarks measured on a device",
		Long: `Write a machine whose micro-benchmarks take as long as those of the rows of sweep validate-device --measure. Only constants with a key
are chosen, one key each, and never by kernels: a latency is moved by the difference in cycles, a bandwidth by the ratio, and the
micro-benchmarks run again until each constant is within 1 % or the key is at the end of its range. docs/guide/measure.md has the formulas.`,
		Example: `  spvsim machine fit results/validate-device.csv --machine rdna3-rx7900xtx -o mine.yaml
  spvsim run reduce --machine mine.yaml`,
		Args: exactly(1, "a file of rows (.csv) of sweep validate-device --measure"),
		RunE: func(c *cobra.Command, args []string) error {
			return unbounded(c, func() error { return fitMachine(c, args[0], base, out) })
		},
	}
	c.Flags().StringVar(&base, "machine", "", "`name` or file of the machine to start from")
	c.Flags().StringVarP(&out, "output", "o", "", "`file` for the machine; left out: standard output")
	completeFlag(c, "machine", machineNames)
	return c
}

func fitMachine(c *cobra.Command, rows, base, out string) error {
	if base == "" {
		return errors.New("--machine: missing: want the machine to start from, as machine --list has them")
	}
	comparison, err := readComparison(rows)
	if err != nil {
		return err
	}
	if comparison.Type == device.Software {
		fmt.Fprintln(c.ErrOrStderr(), "spvsim: "+measure.NoMeaning)
	}
	id, err := identity()
	if err != nil {
		return err
	}
	fit := &measure.Fit{Measured: comparison.Constants, Base: base, Progress: func(text string) { fmt.Fprintln(c.ErrOrStderr(), "spvsim: "+text) }}
	fit.Simulate = func(settings, keys []string) ([]measure.Constant, error) {
		return simulateConstants(c.Context(), base, settings, keys, id)
	}
	if err := fit.Run(); err != nil {
		return &failure{err}
	}
	out = cmp.Or(out, "-")
	title := fmt.Sprintf("%s with constants of micro-benchmarks on %s (%s, %s)", base, comparison.Device, comparison.Driver, comparison.Date)
	if err := writeTo(c, out, fit.WriteMachine(title, filepath.Dir(out))); err != nil {
		return err
	}
	return fit.WriteTable(c.ErrOrStderr())
}

// simulateConstants runs the micro-benchmarks of keys in validate-device on a machine with settings.
func simulateConstants(ctx context.Context, base string, settings, keys []string, id sweep.Identity) ([]measure.Constant, error) {
	e, at, err := sweep.Choice{Name: "validate-device", Machine: base, Settings: settings}.Load()
	if err != nil {
		return nil, err
	}
	plan, err := sweep.NewPlan(ctx, e, at, false, sweep.Limits{}, id)
	if err != nil {
		return nil, err
	}
	return measure.SimulatedConstants(plan, keys, func(run *config.Run) (float64, error) {
		result, err := simulate(ctx, run)
		if err != nil {
			return 0, err
		}
		var stats struct{ Seconds float64 }
		err = json.Unmarshal(result.Stats, &stats)
		return stats.Seconds, err
	})
}
