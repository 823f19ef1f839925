package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spvsim/config"
	"spvsim/experiments/measure"
	"spvsim/gpu"
	"spvsim/internal/lists"
	"spvsim/vulkan/device"
)

// measureFlags are the flags of a measurement.
type measureFlags struct {
	jobFlags
	list      bool
	device    string
	values    bool
	rows      string
	maxTime   float64
	inProcess bool
	options   measure.Options
}

// deviceUsage is the usage of flags that choose a device.
const deviceUsage = "`number` or a part of the name of the Vulkan device, as measure --list has them; default: the first one that is no software"

func measureCommand() *cobra.Command {
	var f measureFlags
	c := &cobra.Command{
		Use:   "measure JOB.yaml|NAME",
		Short: "Run a job on a real Vulkan device, check its results, and time its launches",
		Long: `Run a job on a Vulkan device of this computer: its shaders as they are, with the same buffers, images, constants and launches.
The expectations of the job are checked on the device's buffers. Times are those of the device's timestamps: of a round of the job,
from the end of what came before its first launch to the end of its last one, the launches one after the other as in the simulation.
docs/guide/measure.md explains what is timed and what disturbs.

Graphs, draws, kernels of OpenCL and jobs with several queues are not measured. What a device lacks is named before anything runs.

The exit status is
  0  the job ran, and every expectation is met
  1  the job failed on the device, or its results are wrong
  2  bad input or usage, no such device, or a device that lacks what the job needs
  3  a fault of spvsim itself`,
		Example: `  spvsim measure --list
  spvsim measure reduce
  spvsim measure job.yaml --device 1 --repetitions 30 --rows measured.csv
  spvsim measure matmul --param n=1024 --values            compare all buffers with those of the simulation`,
		Args: func(c *cobra.Command, args []string) error {
			if f.list {
				return nil
			}
			return exactly(1, "a job file or the name of a ready job; spvsim run --list names those")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			return unbounded(c, func() error {
				if !f.inProcess {
					return supervise(c, args, f.maxTime)
				}
				if f.list {
					return listDevices(c.OutOrStdout())
				}
				return f.run(c, args[0])
			})
		},
	}
	flags := c.Flags()
	flags.BoolVar(&f.list, "list", false, "list the Vulkan devices of this computer")
	flags.StringVar(&f.device, "device", "", deviceUsage)
	f.jobFlags.add(c)
	addInteger(flags, &f.options.Repetitions, "repetitions", 20, 1, 100000, "`number` of times that the job runs and is timed")
	addInteger(flags, &f.options.WarmUps, "warm-ups", 3, 1, 100000, "`number` of runs before, which are not timed; the first one's results are checked")
	flags.BoolVar(&f.options.Alone, "alone", false, "submit each launch alone, and wait for it on the host; otherwise launches follow one another on the device")
	flags.BoolVar(&f.values, "values", false, "compare all buffers with those of a functional simulation too: by words of 4 bytes, which floats need not equal")
	flags.StringVar(&f.rows, "rows", "", "write the times as rows to this `file` (.csv or .parquet)")
	flags.Var((*hostSeconds)(&f.maxTime), "max-seconds", "fail after this many `seconds`; 0: no limit")
	f.maxTime = defaultMeasureSeconds
	flags.BoolVar(&f.inProcess, "in-process", false, "run in this process, which a fault of the device's driver ends")
	_ = flags.MarkHidden("in-process")
	return completeWord(c, false, jobNames)
}

// defaultMeasureSeconds is the time that a measurement has by default.
const defaultMeasureSeconds = 300

// supervise runs the command in a process of its own: drivers may end or hang the process that calls them.
func supervise(c *cobra.Command, args []string, seconds float64) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	argv := []string{c.Name(), "--in-process"}
	c.Flags().Visit(func(f *pflag.Flag) {
		if list, ok := f.Value.(pflag.SliceValue); ok {
			for _, v := range list.GetSlice() {
				argv = append(argv, "--"+f.Name+"="+v)
			}
			return
		}
		argv = append(argv, "--"+f.Name+"="+f.Value.String())
	})
	ctx := c.Context()
	if seconds > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, time.Duration(seconds*float64(time.Second))+endTimeout, gpu.ErrHostTime)
		defer cancel()
	}
	child := exec.CommandContext(ctx, self, append(append(argv, "--"), args...)...)
	child.Stdin, child.Stdout, child.Stderr = c.InOrStdin(), asIs(c.OutOrStdout()), asIs(c.ErrOrStderr())
	child.WaitDelay = endTimeout
	err = child.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case context.Cause(ctx) == gpu.ErrHostTime:
		return &failure{fmt.Errorf("%w: %g seconds, and the device's driver did not return: --max-seconds sets the limit", gpu.ErrHostTime, seconds)}
	case ctx.Err() != nil:
		return &failure{errors.New("interrupted")}
	case errors.As(err, &exit) && exit.Exited():
		return &silent{exit.ExitCode()}
	}
	return &failure{fmt.Errorf("the device's driver ended the process (%w): nothing was measured", err)}
}

// A silent error has been reported by a child process.
type silent struct{ status int }

func (s *silent) Error() string { return fmt.Sprintf("exit status %d", s.status) }

func listDevices(w io.Writer) error {
	i, err := device.Open()
	if err != nil {
		return err
	}
	defer i.Close()
	if len(i.Devices) == 0 {
		_, err = i.Find("")
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, p := range i.Devices {
		fmt.Fprintf(t, "%d\t%s\t%s\tVulkan %s\tsubgroups of %d\t%s\n", p.Index, p.Name, p.Kind(), p.API(), p.SubgroupSize, p.Driver)
	}
	return t.Flush()
}

func (f *measureFlags) run(c *cobra.Command, name string) error {
	if f.maxTime > 0 {
		f.options.Deadline = time.Now().Add(time.Duration(f.maxTime * float64(time.Second)))
	}
	if err := checkOutputs(outputFile{"rows", f.rows}); err != nil {
		return err
	}
	i, err := device.Open()
	if err != nil {
		return err
	}
	p, err := i.Find(f.device)
	if err != nil {
		return err
	}
	job, machine, err := f.load(c, name)
	if err != nil {
		return err
	}
	setup := gpu.Setup{Machine: machine, Job: job}
	h, err := gpu.NewHardwareJob(c.Context(), setup)
	if err != nil {
		return err
	}
	if f.values {
		if f.options.Want, err = simulatedBytes(c.Context(), setup); err != nil {
			return err
		}
	}
	r, err := measure.Run(c.Context(), p, h, f.options)
	switch {
	case errors.Is(err, measure.ErrLacking):
		return err
	case err != nil:
		return &failure{err}
	}
	if err := errors.Join(f.writeRows(c, p, job, r), writeMeasured(c.OutOrStdout(), p, job, r)); err != nil {
		return err
	}
	if len(r.Failures) > 0 {
		return &failure{fmt.Errorf("%w: %w", measure.ErrValues, errors.Join(r.Failures...))}
	}
	return nil
}

// simulatedBytes are the bytes of the buffers after a functional run, whose expectations are the device's matter.
func simulatedBytes(ctx context.Context, s gpu.Setup) ([][]byte, error) {
	s.Mode, s.Threads = config.ModeFunctional, 1
	result, err := gpu.Run(ctx, s)
	if err != nil && !errors.Is(err, gpu.ErrExpectation) {
		return nil, err
	}
	if len(result.Faults) > 0 {
		return nil, fmt.Errorf("the simulation has accesses out of bounds, which a device does not define: %s", strings.Join(result.Faults, "; "))
	}
	list := lists.Map(result.Buffers, func(b gpu.Buffer) []byte { return b.Bytes })
	return list, nil
}

func (f *measureFlags) writeRows(c *cobra.Command, p *device.Physical, job *config.Job, r *measure.Result) error {
	if f.rows == "" {
		return nil
	}
	t := measure.Table(p, job, r, time.Now())
	if strings.HasSuffix(f.rows, ".parquet") {
		return writeTo(c, f.rows, t.WriteParquet)
	}
	return writeTo(c, f.rows, t.WriteCSV)
}

// writeMeasured shows a measurement.
func writeMeasured(w io.Writer, p *device.Physical, job *config.Job, r *measure.Result) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "device\t%s (%s), %s\n", p.Name, p.Kind(), p.Driver)
	if text := r.Before.String(); text != "" {
		fmt.Fprintf(t, "clocks\t%s; after: %s\n", text, r.After)
	}
	for _, text := range r.Disturbances(p) {
		fmt.Fprintf(t, "note\t%s\n", text)
	}
	if len(job.Expect) > 0 && len(r.Failures) == 0 {
		fmt.Fprintf(t, "results\tas the job expects\n")
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(t, "\nstep\tlaunches\tmedian us\tmin us\tmean us\tmax us\tspread\n")
	line := func(name string, launches int, s measure.Sample) {
		fmt.Fprintf(t, "%s\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.1f %%\n", name, launches, s.Median(), s.Quantile(0), s.Mean(), s.Quantile(1), 100*s.Spread())
	}
	launches := 0
	for i := range r.Steps {
		s := &r.Steps[i]
		line(s.Name, s.Launches, s.Times)
		launches += s.Launches
	}
	if len(r.Steps) != 1 {
		line("all", launches, r.Total)
	}
	return t.Flush()
}
