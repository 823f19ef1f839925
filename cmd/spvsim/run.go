package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/gpu"
	"spvsim/tracing"
)

type runFlags struct {
	jobFlags
	list       bool
	stats      string
	listing    string
	dump       []string
	maxCycles  uint64
	maxTime    float64
	mode       string
	threads    int
	time       string
	quiet      bool
	bounds     bool
	strict     bool
	check      bool
	checkJSON  string
	components string
	hostFlags
	traceFlags
	checkpointFlags
	whatIf whatIfFlag
}

func runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run JOB.yaml|NAME",
		Short: "Run a job, check its expectations, and show where the cycles went",
		Long: `Run a job: a file, or the name of a ready job. The exit status is
  0  the run is done and every expectation is met
  1  the run failed (expectation, deadlock, limit, undefined behaviour)
  2  bad input or usage
  3  a fault of spvsim itself`,
		Example: `  spvsim run --list
  spvsim run reduce
  spvsim run job.yaml --machine cdna3-mi300a --set lds.banks=64
  spvsim run vectoradd --param n=1048576                 give a parameter of the job another value
  spvsim run reduce --what-if all                        compare with machines without one limit each
  spvsim run job.yaml --stats -                          statistics as JSON instead of the summary
  spvsim run job.yaml --listing listing.txt --dump output=out.bin`,
		Args: func(c *cobra.Command, args []string) error {
			if f.list {
				return nil
			}
			if level := f.strayLevel(args); level != "" {
				return fmt.Errorf("--components %s: want --components=%s, as the flag may also be given without a level", level, level)
			}
			return exactly(1, "a job file or the name of a ready job; --list names those")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if f.list {
				return listJobs(c.OutOrStdout())
			}
			return f.profileHost(c, func() error { return f.run(c, args[0]) })
		},
	}
	flags := c.Flags()
	flags.BoolVar(&f.list, "list", false, "list the ready jobs")
	f.jobFlags.add(c)
	flags.StringVar(&f.stats, "stats", "", "write the statistics as JSON to this `file`; - is standard output, without the summary")
	flags.StringVar(&f.listing, "listing", "", "write the lowered programs, with the cost of each instruction, to this `file`: as CSV or JSON if its name ends so, else as text; - is standard output, after the summary")
	flags.StringArrayVar(&f.dump, "dump", nil, "at the end, write the bytes of a buffer to a file (`buffer=file`); if its name ends in .png, an image as a picture; may be repeated")
	addInteger(flags, &f.maxCycles, "max-cycles", 0, 0, manyCycles, "fail after this many `cycles`; 0: the limit of the job, if it has one")
	flags.Var((*hostSeconds)(&f.maxTime), "max-seconds", "fail after this many `seconds` on this computer; 0: the limit of the job, if it has one")
	flags.StringVar(&f.mode, "mode", "", "`mode` of the run, instead of the job's: timed, functional (the same values, no timing) or sampled (a part is timed, the rest estimated)")
	flags.StringVar(&f.time, "time", "", "time only the part that matches all `items`, and run the rest functionally: steps=NAME+NAME, launches=PATTERN, first=N, workgroups=FIRST..LAST, separated by commas")
	addInteger(flags, &f.threads, "threads", 0, 0, gpu.MaxThreads, "`number` of threads; 0: one in a timed run, one for each processor in a functional run. Timed results do not depend on it. With --what-if, the machines that run at a time (0: one for each processor). A functional run on 1 thread is reproducible")
	flags.StringVar(&f.components, "components", "", "list the work of each component (events, issue cycles ahead of the engine, calls, messages) and its watts, by `level`: kinds sums components that differ only in their index, each lists all; runs on one thread")
	flags.Lookup("components").NoOptDefVal = "kinds"
	flags.BoolVar(&f.bounds, "check-bounds", false, "fail if an access to a buffer, an image or the LDS is out of bounds; otherwise this is a warning: loads read 0, stores do nothing")
	flags.BoolVar(&f.check, "check", false, "look for accesses that no shader may make, and fail if there are any: without an order between them, of memory that nothing wrote, or out of bounds")
	flags.StringVar(&f.checkJSON, "check-json", "", "check, and write what was found as JSON to this `file`; - is standard output, without the summary")
	f.hostFlags.add(c)
	f.traceFlags.add(c)
	f.checkpointFlags.add(c)
	f.whatIf.add(c)
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print no summary and no progress line")
	strictFlag(c, &f.strict)
	completeFlag(c, "components", componentLevels)
	completeFlag(c, "mode", modeNames)
	return completeWord(c, false, jobNames)
}

// strayLevel returns a level of --components that was given as a separate argument, or "".
func (f *runFlags) strayLevel(args []string) string {
	if i := slices.IndexFunc(args, func(a string) bool { return slices.Contains(levelsOfParts, a) }); i >= 0 && f.components != "" && len(args) > 1 {
		return args[i]
	}
	return ""
}

func listJobs(w io.Writer) error {
	var rows [][]string
	for _, name := range experiments.Names() {
		_, _, description, err := experiments.Lookup(name)
		if err != nil {
			return err
		}
		rows = append(rows, []string{name, description})
	}
	listing(w, rows)
	return nil
}

// run executes the command. It shows the results of a failed run as well, and returns the error last.
func (f *runFlags) run(c *cobra.Command, name string) error {
	setup, err := f.setup(c, name)
	if err != nil {
		return err
	}
	if f.components != "" && !slices.Contains(levelsOfParts, f.components) {
		return fmt.Errorf("--components=%s: want %s", f.components, strings.Join(levelsOfParts, " or "))
	}
	if f.mode != "" && !slices.Contains(config.Modes, f.mode) {
		return fmt.Errorf("--mode %s: want one of %s", f.mode, strings.Join(config.Modes, ", "))
	}
	dumps, err := parseDumps(f.dump, setup.Job)
	if err != nil {
		return err
	}
	if err := checkOutputs(f.outputs(dumps)...); err != nil {
		return err
	}
	if err := f.checkpointFlags.prepare(c, &setup, &f.traceFlags); err != nil {
		return err
	}
	noteFormats(c, f.outputs(nil)...)
	return unbounded(c, func() error { return f.simulate(c, setup, dumps) })
}

// simulate runs the job and shows the results.
func (f *runFlags) simulate(c *cobra.Command, setup gpu.Setup, dumps []dump) error {
	f.counted = f.listing != "" && f.listingFormat() != ""
	var err error
	if setup.Machine, err = gpu.UnderLimit(c.Context(), setup); err != nil {
		return firstFault(err)
	}
	records, err := f.records(c, &setup)
	if err != nil {
		return err
	}
	join(&setup, records)
	ended := backstop(c, setup.HostSeconds())
	result, err := gpu.Run(c.Context(), setup)
	ended()
	err = f.checkpointFlags.finish(c, err)
	if err == nil {
		err = f.whatIf.compare(c, f.threads, result)
	}
	written := finish(records, result)
	if onTerminal(c.ErrOrStderr()) && setup.Progress != nil {
		clearLine(c.ErrOrStderr()) // it may hold a progress line
	}
	if result == nil && !errors.Is(err, gpu.ErrRun) {
		return errors.Join(firstFault(err), written)
	}
	if result == nil {
		return errors.Join(&failure{err}, written)
	}
	shown := f.writeOutputs(c, result, dumps)
	if f.summary() && (err == nil || errors.Is(err, gpu.ErrExpectation)) {
		expectations(c.OutOrStdout(), len(setup.Job.Expect), len(result.Failures))
	}
	if errors.Is(err, gpu.ErrExpectation) && f.params != nil {
		err = fmt.Errorf("%w\n  (--param changed the job: its expectations may be right only for the values in its file)", err)
	}
	if n := result.Stats.OutOfBounds; f.bounds && n > 0 {
		err = errors.Join(err, &failure{fmt.Errorf("--check-bounds: found %s out of bounds", counted(int(n), "access"))})
	}
	if errors.Is(err, gpu.ErrRun) {
		err = &failure{err}
	}
	return errors.Join(err, shown, written)
}

// outputs are the files that the run writes.
func (f *runFlags) outputs(dumps []dump) []outputFile {
	list := []outputFile{{"stats", f.stats}, {"check-json", f.checkJSON}, {"listing", f.listing}, {"profile", f.profile}, {"series", f.series}, {"trace", f.trace}, {"accesses", f.accesses.file}, {"counters", f.counters}, {"daisen", f.daisen}, {"checkpoint", f.checkpointFlags.file}}
	for _, d := range dumps {
		list = append(list, outputFile{"dump", d.file})
	}
	return list
}

func (f *runFlags) setup(c *cobra.Command, name string) (gpu.Setup, error) {
	load, err := f.loader(c, name)
	if err != nil {
		return gpu.Setup{}, err
	}
	job, machine, err := load(nil)
	if err != nil {
		return gpu.Setup{}, wantsJob(name, err)
	}
	var window *config.Time
	if f.time != "" {
		if window, err = config.ParseTime(f.time); err != nil {
			return gpu.Setup{}, fmt.Errorf("--time: %w", err)
		}
	}
	s := gpu.Setup{Machine: machine, Job: job, MaxCycles: f.maxCycles, MaxHostSeconds: f.maxTime, Observer: printer{c.ErrOrStderr()}, Components: f.components != "",
		Mode: f.mode, Threads: f.threads, Time: window, Strict: f.strict, Check: f.check || f.checkJSON != ""}
	if !f.quiet {
		s.Stalled = func(report string) { fmt.Fprintf(c.ErrOrStderr(), "spvsim: %s\n", report) }
	}
	if !f.quiet && onTerminal(c.ErrOrStderr()) {
		s.Progress = progressLine(c.ErrOrStderr(), progressText)
	}
	return s, f.whatIf.prepare(&s, load)
}

// writeOutputs writes all requested outputs.
func (f *runFlags) writeOutputs(c *cobra.Command, r *gpu.Result, dumps []dump) error {
	var errs []error
	if !f.strict { // else they are the error
		warn(c, r.Remarks())
	}
	if f.summary() && r.Stats.Launches > 0 {
		errs = append(errs, tracing.WriteSummary(c.OutOrStdout(), r.Stats))
	}
	if f.summary() && r.Stats.WhatIf != nil {
		errs = append(errs, tracing.WriteCounterfactuals(c.OutOrStdout(), r.Stats, f.whatIf.plan.Absent))
	}
	if r.Checked != nil && f.summary() {
		writeFindings(c.OutOrStdout(), r.Checked)
	}
	if r.Checked != nil && f.checkJSON != "" {
		errs = append(errs, writeTo(c, f.checkJSON, r.Checked.Write))
	}
	if f.components != "" {
		errs = append(errs, writeComponents(c.OutOrStdout(), r, f.components == "each"))
	}
	if f.stats != "" {
		errs = append(errs, writeTo(c, f.stats, f.written(r.Stats)))
	}
	if f.listing == "-" && f.summary() {
		fmt.Fprintln(c.OutOrStdout())
	}
	if f.listing != "" {
		errs = append(errs, writeTo(c, f.listing, func(w io.Writer) error {
			return listings(w, r.Listings, f.listingFormat())
		}))
	}
	for _, d := range dumps {
		errs = append(errs, d.write(c, r))
	}
	return errors.Join(errs...)
}

// listingFormat returns the format of the listing by its file: csv, json, or empty for text.
func (f *runFlags) listingFormat() string {
	if ext := strings.ToLower(filepath.Ext(f.listing)); ext == ".csv" || ext == ".json" {
		return ext[1:]
	}
	return ""
}

// summary reports whether to print the summary: not if standard output carries data for a program.
func (f *runFlags) summary() bool {
	taken := slices.ContainsFunc(f.dump, func(d string) bool { return strings.HasSuffix(d, "=-") })
	return !f.quiet && f.stats != "-" && f.checkJSON != "-" && f.trace != "-" && f.profile != "-" && f.series != "-" && f.accesses.file != "-" && f.counters != "-" && !taken
}

// expectations prints how many were met; the mismatches are in the run's error.
func expectations(w io.Writer, total, failed int) {
	if total == 0 {
		fmt.Fprintln(w, "expected: nothing (the job has no expect)")
		return
	}
	fmt.Fprintf(w, "expected: %d of %d met\n", total-failed, total)
}

// listings writes listings in a format: csv, json, or text if it is neither.
func listings(w io.Writer, list []tracing.Listing, format string) error {
	switch format {
	case "csv":
		return tracing.WriteListingsCSV(w, list)
	case "json":
		return tracing.WriteListingsJSON(w, list)
	}
	for i := range list {
		if err := tracing.WriteListing(w, &list[i]); err != nil {
			return err
		}
	}
	return nil
}

// A dump is a buffer and the file for its bytes.
type dump struct{ buffer, file string }

func parseDumps(flags []string, job *config.Job) ([]dump, error) {
	var out []dump
	for _, f := range flags {
		buffer, file, ok := strings.Cut(f, "=")
		if !ok || buffer == "" || file == "" {
			return nil, fmt.Errorf("--dump %s: want buffer=file", f)
		}
		if !slices.ContainsFunc(job.Buffers, func(b config.Buffer) bool { return b.Name == buffer }) {
			return nil, fmt.Errorf("--dump %s: want the name of a buffer of the job: %s", buffer, bufferNames(job))
		}
		out = append(out, dump{buffer, file})
	}
	return out, nil
}

func bufferNames(job *config.Job) string {
	var names []string
	for i := range job.Buffers {
		if name := job.Buffers[i].Name; name != "" {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

func (d dump) write(c *cobra.Command, r *gpu.Result) error {
	i := slices.IndexFunc(r.Buffers, func(b gpu.Buffer) bool { return b.Name == d.buffer })
	if strings.HasSuffix(d.file, ".png") {
		return writeTo(c, d.file, r.Buffers[i].WritePNG)
	}
	return writeFile(c, d.file, r.Buffers[i].Bytes)
}
