package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/experiments/sweep"
	"spvsim/gpu"
	"spvsim/internal/fault"
	"spvsim/plots"
)

type sweepFlags struct {
	sweep.Options
	list         bool
	small        bool
	dryRun       bool
	status       bool
	draw         string
	stale        string
	staleSeed    uint64
	quiet        bool
	workers      int
	launcher     string
	profile      string
	axes         []string
	set          []string
	sandbox      bool
	machine      string
	strict       bool
	removedCosts withoutFlag
	whatIf       []string
	bundle       string
	tasks        int
	merge        bool
	sample       int
	measure      sweepMeasure
}

// load reads the experiment, or builds one from a job and the axes.
func (f *sweepFlags) load(name string) (*config.Experiment, sweep.FileLocation, error) {
	e, at, err := sweep.Choice{Name: name, Machine: f.machine, Axes: f.axes, Settings: f.set, WhatIf: f.whatIf, Sandbox: f.sandbox}.Load()
	if err == nil && f.sandbox && e.App != nil {
		return nil, at, fmt.Errorf("%s: app: found a program: want an experiment without one under --sandbox", name)
	}
	if errors.Is(err, experiments.ErrUnknown) {
		err = wantsJob(name, fmt.Errorf("%w: want a name of spvsim sweep --list, or an experiment file (.yaml)", err))
	}
	return e, at, err
}

func sweepCommand() *cobra.Command {
	var f sweepFlags
	c := &cobra.Command{
		Use:   "sweep EXPERIMENT.yaml|NAME|JOB.yaml|ROWS...",
		Short: "Run an experiment: many points, rows and figures",
		Long: `Run an experiment: a file, or the name of a ready experiment. Points that already have a result are not run again, so the
same command resumes a sweep that was stopped. The exit status is 1 if points failed. The other points have their rows.

With --axis, --machine or --set, the argument may also be a job. The figure then shows cycles over the axes. A path names a field
of the machine (lds.banks), the machine itself (machine), or a field of the job (parameters.n, specialization.0, dispatch).

With an experiment, --axis may name one of its axes, to replace its values, or, if the axis has variants, to keep only the
variants named.`,
		Example: `  spvsim sweep --list
  spvsim sweep lds-stride --small
  spvsim sweep job.yaml --axis lds.banks=16,32,64 --axis parameters.n=1024,4096
  spvsim sweep lds-stride --axis stride=1..16 --machine rdna4-like
  spvsim sweep experiment.yaml --dry-run                    list the points and estimate the time
  spvsim sweep experiment.yaml -o results --workers 4
  spvsim sweep --stale experiments/figures                  list the experiments with rows out of date
  spvsim sweep experiment.yaml --launcher slurm --profile cluster.yaml
  spvsim sweep experiment.yaml --bundle tasks               write tasks for any computers: sh tasks/task.sh NUMBER
  spvsim sweep --merge tasks/rows-*.jsonl                   join what the tasks left`,
		Args: func(c *cobra.Command, args []string) error {
			if f.list || f.stale != "" {
				return nil
			}
			if f.merge {
				return cobra.MinimumNArgs(1)(c, args)
			}
			return exactly(1, "an experiment file or the name of a ready experiment; --list names those")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if f.list {
				return listExperiments(c)
			}
			if f.stale != "" {
				return unbounded(c, func() error { return f.showStale(c, args) })
			}
			if f.merge {
				return unbounded(c, func() error { return f.join(c, args) })
			}
			return unbounded(c, func() error { return f.run(c, args[0]) })
		},
	}
	flags := c.Flags()
	flags.BoolVar(&f.list, "list", false, "list the ready experiments that can run on this computer; standard error lists the others, with what each needs")
	flags.StringArrayVar(&f.axes, "axis", nil, "vary a field: `path=value,value` (lds.banks=16,32,64) or path=first..last; may be repeated")
	flags.StringVar(&f.machine, "machine", "", machineUsage)
	flags.StringArrayVar(&f.set, "set", nil, setUsage+"; holds in every point")
	flags.BoolVar(&f.sandbox, "sandbox", false, "read no file outside of the experiment's folder, and run no program that it names")
	flags.StringVarP(&f.Out, "output", "o", "", "`folder` for rows, figures and saved results (default results/NAME)")
	flags.StringVar(&f.Cache, "cache", "", "`folder` of saved results, to share between sweeps (default in the output folder)")
	addInteger(flags, &f.workers, "workers", 0, 0, math.MaxInt32, "`number` of simulations at a time on this computer; 0: one for each core")
	flags.BoolVar(&f.small, "small", false, "run the small variant, which takes seconds")
	flags.BoolVar(&f.Force, "force", false, "run every point, even if it has a result")
	flags.BoolVar(&f.dryRun, "dry-run", false, "list the points and estimate the time, but run nothing; of more than 1000 points, give numbers only")
	flags.BoolVar(&f.status, "status", false, "print how many points are done, but run nothing")
	flags.StringVar(&f.draw, "draw", "", "draw the figures from this `file` of rows (.csv or .parquet), but run nothing")
	flags.StringVar(&f.stale, "stale", "", "check whether saved rows are out of date: a `file` of rows, or a folder with NAME.csv of each experiment; compares their inputs, and runs one point of middle cost again")
	addInteger(flags, &f.staleSeed, "stale-seed", 1, 0, math.MaxInt64, "`seed` that draws the point which --stale runs again")
	addInteger(flags, &f.sample, "sample", 0, 0, math.MaxInt32, "with --dry-run, run this `number` of points without a result, evenly spread, to estimate from their time; they keep their results")
	flags.StringVar(&f.bundle, "bundle", "", "write the points without a result to this `folder` as tasks that need nothing else, but run nothing; with --merge, the folder that the rows are of (default that of the first file)")
	addInteger(flags, &f.tasks, "tasks", 0, 0, 1_000_000, "`number` of tasks of --bundle, which share the points by their estimated cost; 0: tasks of half an hour")
	flags.BoolVar(&f.merge, "merge", false, "join the rows that tasks of a bundle left in the files of the command line, but run nothing")
	flags.StringVar(&f.launcher, "launcher", "local", "`where` points run: local, slurm, condor (HTCondor), or command (the commands in --profile, for PBS, LSF or GNU parallel)")
	flags.StringVar(&f.profile, "profile", "", "`file` with the resources and commands of a cluster (its keys: spvsim schema cluster)")
	addInteger(flags, &f.Limits.Cycles, "max-cycles", 0, 0, manyCycles, "a point fails after this many `cycles`; 0: the limit of its job, if it has one")
	flags.Var((*hostSeconds)(&f.Limits.Seconds), "max-seconds", "a point fails after this many `seconds` on the computer that runs it; 0: the limit of its job, if it has one")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print no progress")
	strictFlag(c, &f.strict)
	f.removedCosts.add(c)
	f.measure.add(c)
	whatIfFlagOf(c, &f.whatIf, "run each point also on counterfactual machines, in rows with a column what_if (none: as it is) and the gain, without the figures of the experiment: `names` as run --what-if has them; may be repeated")
	completeFlag(c, "launcher", launcherNames)
	completeFlag(c, "machine", machineNames)
	completeFlag(c, "set", machinePaths)
	completeFlag(c, "axis", machinePaths)
	return completeWord(c, false, experimentNames)
}

func listExperiments(c *cobra.Command) error {
	var rows, others [][]string
	for _, name := range experiments.FigureNames() {
		e, _, err := sweep.Load(name)
		if err != nil {
			return err
		}
		if e.App != nil && len(e.App.Missing()) > 0 {
			others = append(others, []string{name, "needs " + strings.Join(e.App.Missing(), ", ")})
			continue
		}
		rows = append(rows, []string{name, e.Description})
	}
	listing(c.OutOrStdout(), rows)
	if len(others) > 0 {
		fmt.Fprintf(c.ErrOrStderr(), "spvsim: not listed, as they do not run here: %d\n", len(others))
		listing(c.ErrOrStderr(), others)
	}
	return nil
}

func (f *sweepFlags) run(c *cobra.Command, name string) error {
	if err := f.check(); err != nil {
		return err
	}
	without, err := f.removedCosts.settings(c)
	if err != nil {
		return err
	}
	f.set = append(f.set, without...)
	if f.draw != "" {
		e, _, err := f.load(name)
		if err != nil {
			return err
		}
		return f.redraw(c, e)
	}
	plan, err := atOnce(c.Context(), func() (*sweep.Plan, error) {
		plan, err := f.plan(c.Context(), name)
		if err != nil {
			return nil, err
		}
		return plan, checkFigures(plan)
	})
	if err != nil {
		return interrupted(err)
	}
	if f.strict && len(plan.Idle) > 0 {
		return fmt.Errorf("%w: %s", gpu.ErrStrict, strings.Join(plan.Idle, "\n"))
	}
	warn(c, plan.Idle)
	f.Out = f.folder(plan.Experiment)
	if f.dryRun && f.sample == 0 && !exists(f.Out) && f.Cache == "" {
		return plan.Describe(c.OutOrStdout(), nil, f.workers)
	}
	if err := makeFolder(f.Out); err != nil {
		return err
	}
	store, err := f.Records()
	if err != nil {
		return err
	}
	switch {
	case f.bundle != "":
		return f.writeBundle(c, plan, store)
	case f.dryRun:
		if err := f.runSample(c, plan, store); err != nil {
			return err
		}
		return plan.Describe(c.OutOrStdout(), store, f.workers)
	case f.status:
		return f.showStatus(c, plan, store)
	}
	return f.sweep(c, plan, store)
}

// plan makes every point ready.
func (f *sweepFlags) plan(ctx context.Context, name string) (*sweep.Plan, error) {
	e, at, err := f.load(name)
	if err != nil {
		return nil, err
	}
	id, err := identity()
	if err != nil {
		return nil, err
	}
	if e.App != nil {
		if at, err = runApp(ctx, e, at, filepath.Join(f.folder(e), "captured")); err != nil {
			return nil, err
		}
	}
	if f.dryRun {
		return sweep.NewOutline(ctx, e, at, f.small, f.Limits, id)
	}
	return sweep.NewPlan(ctx, e, at, f.small, f.Limits, id)
}

// atOnce calls long work that ignores the context, and returns without it when the context ends. It repeats a panic of
// the work, with the stack of its origin.
func atOnce[T any](ctx context.Context, work func() (T, error)) (result T, err error) {
	if err := ctx.Err(); err != nil {
		return result, err
	}
	done := make(chan struct{})
	var panicked *fault.Panic
	var made T
	var failed error
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				panicked = fault.Caught(p)
			}
		}()
		made, failed = work()
	}()
	select {
	case <-ctx.Done():
		return result, ctx.Err()
	case <-done:
	}
	if panicked != nil {
		panic(panicked)
	}
	return made, failed
}

var errInterrupted = errors.New("interrupted: the same command resumes")

// redraw draws the figures of an experiment from saved rows.
func (f *sweepFlags) redraw(c *cobra.Command, e *config.Experiment) error {
	f.Out = cmp.Or(f.Out, ".")
	if err := makeFolder(f.Out); err != nil {
		return err
	}
	files, err := drawFigures(c, e, f.draw, f.Out)
	for _, file := range files {
		fmt.Fprintln(c.OutOrStdout(), file)
	}
	return err
}

// name returns the base name of the experiment's results.
func (f *sweepFlags) name(e *config.Experiment) string {
	if f.small {
		return e.Name + "-small"
	}
	return e.Name
}

// folder returns the folder of the experiment's results.
func (f *sweepFlags) folder(e *config.Experiment) string {
	return cmp.Or(f.Out, filepath.Join("results", f.name(e)))
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func (f *sweepFlags) showStatus(c *cobra.Command, plan *sweep.Plan, store *sweep.Store) error {
	counts, err := plan.Counts(store)
	if err != nil {
		return err
	}
	fmt.Fprintln(c.OutOrStdout(), counts)
	return sweep.ArrayStatus(c.Context(), f.Out, c.OutOrStdout())
}

func (f *sweepFlags) sweep(c *cobra.Command, plan *sweep.Plan, store *sweep.Store) error {
	launcher, err := f.newLauncher(plan, store)
	if err != nil {
		return err
	}
	if !f.quiet {
		f.Progress = asIs(c.ErrOrStderr()) // numbers alone, and a bar on a terminal
	}
	var warnings []string
	f.Warn = func(text string) {
		warn(c, []string{text})
		warnings = append(warnings, text)
	}
	if err := plan.Run(c.Context(), &f.Options, store, launcher); err != nil {
		if errors.Is(err, context.Canceled) {
			err = errInterrupted
		}
		return &failure{err}
	}
	said, err := plan.Warnings(store)
	warn(c, said[:min(len(said), maxWarnings)])
	if more := len(said) - maxWarnings; more > 0 {
		warn(c, []string{fmt.Sprintf("%d more warnings, in the records of the points", more)})
	}
	err = errors.Join(err, f.finish(c, plan, store))
	if n := len(warnings) + len(said); err == nil && f.strict && n > 0 {
		err = &failure{fmt.Errorf("%w: %d", gpu.ErrStrict, n)}
	}
	return err
}

// maxWarnings and maxFaults bound the warnings of points, and the failed points, that a sweep prints.
const (
	maxWarnings = 10
	maxFaults   = 10
)

func (f *sweepFlags) newLauncher(plan *sweep.Plan, store *sweep.Store) (sweep.Launcher, error) {
	self, err := ownProgram()
	if err != nil {
		return nil, err
	}
	if f.launcher == "local" {
		if f.profile != "" {
			return nil, fmt.Errorf("--profile %s: want --launcher slurm, condor or command with it", f.profile)
		}
		return sweep.NewLocal([]string{self, pointCommandName}, f.workers, store), nil
	}
	profile := config.DefaultCluster()
	if f.profile != "" {
		if profile, err = config.LoadCluster(nil, f.profile); err != nil {
			return nil, err
		}
	}
	setup := sweep.ArraySetup{Profile: profile, Program: self, Plan: plan, Store: store}
	switch f.launcher {
	case "slurm":
		return sweep.NewSlurm(setup, f.Out)
	case "condor":
		return sweep.NewCondor(setup, f.Out)
	case "command":
		return sweep.NewCommands(setup, f.Out)
	}
	return nil, fmt.Errorf("--launcher %s: want local, slurm, condor or command", f.launcher)
}

// finish writes rows and figures, and reports the failures.
func (f *sweepFlags) finish(c *cobra.Command, plan *sweep.Plan, store *sweep.Store) error {
	rows, rowsErr := plan.Rows(store) // with every column that can be had
	counts, err := plan.Counts(store)
	if rows == nil || err != nil {
		return errors.Join(err, rowsErr)
	}
	if f.measure.on || f.measure.rows != "" {
		if err := f.addMeasured(c, plan, rows); err != nil {
			return &failure{err}
		}
	}
	files, err := rows.Write(f.Out, f.name(plan.Experiment))
	if err != nil {
		return err
	}
	drawErr := rowsErr
	if counts.Done > 0 {
		drawn, err := drawFigures(c, plan.Experiment, files[0], f.Out)
		drawErr = errors.Join(drawErr, err)
		files = append(files, drawn...)
	}
	fmt.Fprintln(c.OutOrStdout(), counts)
	for _, file := range files {
		fmt.Fprintln(c.OutOrStdout(), file)
	}
	errs := []error{drawErr}
	if counts.Missing > 0 {
		errs = append(errs, fmt.Errorf("%d of %s without a result", counts.Missing, counted(counts.Points, "point")))
	}
	if failed := counts.Failed + counts.Crashed; failed > 0 {
		faults, err := plan.Faults(store, maxFaults)
		errs = append(errs, fmt.Errorf("%d of %s failed; the column error of the rows says why%s", failed, counted(counts.Points, "point"), faults), err)
	}
	if counts.Done < counts.Points {
		return &failure{errors.Join(errs...)}
	}
	return drawErr
}

// drawFigures draws the experiment's figures from its rows, in every format. An interruption ends it at once.
func drawFigures(c *cobra.Command, e *config.Experiment, rowsFile, dir string) (files []string, err error) {
	rows, err := atOnce(c.Context(), func() (*plots.Table, error) { return plots.ReadTable(rowsFile) })
	if err != nil {
		return nil, interrupted(err)
	}
	var errs []error
	for i := range e.Figures {
		f := &e.Figures[i]
		drawn, err := atOnce(c.Context(), func() (*pictures, error) {
			figure, err := readFigure(e, f)
			if err != nil {
				return nil, err
			}
			return drawPictures(f.Name, figure, rows, plots.Usual, "")
		})
		if errors.Is(err, context.Canceled) {
			return files, interrupted(err)
		}
		if err == nil {
			drawn.warn(c)
			var written []string
			written, err = drawn.write(filepath.Join(dir, f.Name))
			files = append(files, written...)
		}
		errs = append(errs, err)
	}
	return files, errors.Join(errs...)
}

// interrupted replaces the error of a cancelled context by that of an interruption.
func interrupted(err error) error {
	if errors.Is(err, context.Canceled) {
		return &failure{errInterrupted}
	}
	return err
}

// checkFigures checks the columns that derived columns, references and figures name, and that a figure's rows have
// distinct places, before anything runs.
func checkFigures(plan *sweep.Plan) error {
	blank, err := plan.Blank()
	if err != nil {
		return fmt.Errorf("%s: %w", plan.Experiment.File(), err)
	}
	var text bytes.Buffer
	if err := blank.WriteCSV(&text); err != nil {
		return err
	}
	rows, err := plots.ReadCSV("the experiment's rows", &text)
	if err != nil {
		return err
	}
	var errs []error
	for i := range plan.Experiment.Figures {
		figure, err := readFigure(plan.Experiment, &plan.Experiment.Figures[i])
		if err == nil {
			err = figure.CheckNames(rows)
		}
		if err == nil && plan.IsComplete() {
			err = figure.CheckPlaces(rows, plan.FinalColumns())
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// readFigure reads a figure from its own file, or from the experiment's.
func readFigure(e *config.Experiment, f *config.Figure) (*plots.Figure, error) {
	if text, ok := f.Text(); ok {
		return plots.Read(e.File(), text)
	}
	text, err := e.ReadFile(f.File)
	if err != nil {
		return nil, err
	}
	return plots.Read(f.File, text)
}

// pointCommandName is the hidden command that sweeps start themselves by.
const pointCommandName = "sweep-point"

// pointCommand simulates points: a line of JSON in, one out. With --rows it runs a task of a bundle.
func pointCommand() *cobra.Command {
	var task sweep.Task
	c := &cobra.Command{
		Use:    pointCommandName,
		Short:  "Run one point of a sweep",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return unbounded(c, func() error {
				if task.Rows != "" {
					return runTask(c.Context(), &task)
				}
				var from *sweep.Bundle
				if task.Bundle != "" {
					var err error
					if from, err = sweep.OpenBundle(task.Bundle); err != nil {
						return err
					}
				}
				return sweep.RunWorker(c.Context(), c.InOrStdin(), asIs(c.OutOrStdout()), from, simulate, func() { os.Exit(exitFailed) })
			})
		},
	}
	flags := c.Flags()
	flags.StringVar(&task.Bundle, "bundle", "", "`file` of points with their inputs")
	addInteger(flags, &task.Index, "task", 0, 0, math.MaxInt32, "number of the task to run")
	flags.StringVar(&task.Rows, "rows", "", "`file` for the task's rows; left out: no task, points come in lines of standard input")
	addInteger(flags, &task.Workers, "workers", 1, 1, math.MaxInt32, "points that run at a time")
	return c
}

func runTask(ctx context.Context, task *sweep.Task) error {
	self, err := ownProgram()
	id, err2 := identity()
	if err = errors.Join(err, err2); err != nil {
		return err
	}
	debug.SetGCPercent(usualCollection) // it lives long, and must not seem to grow
	err = task.Run(ctx, self, []string{self, pointCommandName}, id)
	if errors.Is(err, context.Canceled) {
		return &failure{errInterrupted}
	}
	return err
}

func simulate(ctx context.Context, run *config.Run) (sweep.Output, error) {
	result, err := gpu.Run(ctx, gpu.Setup{Machine: run.Machine, Job: run.Job})
	for _, limit := range []error{gpu.ErrLimit, gpu.ErrHostTime, gpu.ErrHostLimit} {
		if errors.Is(err, limit) {
			return sweep.Output{}, &sweep.Stopped{Err: err}
		}
	}
	if err != nil {
		return sweep.Output{}, firstFault(err)
	}
	if len(result.Warnings) > 0 { // the constants are not read, so the row would state a setting without effect
		return sweep.Output{}, errors.New(result.Warnings[0])
	}
	out := sweep.Output{Buffers: map[string][]byte{}, Warnings: slices.Concat(result.Unused, result.Faults)}
	for _, b := range result.Buffers {
		out.Buffers[b.Name] = b.Bytes
	}
	out.Stats, err = json.Marshal(result.Stats)
	return out, err
}
