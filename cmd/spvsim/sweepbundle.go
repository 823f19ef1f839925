package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"spvsim/experiments/sweep"
)

// check refuses flags that do not go together.
func (f *sweepFlags) check() error {
	switch {
	case f.sample > 0 && !f.dryRun:
		return errors.New("--sample: found no --dry-run: want it too")
	case f.tasks > 0 && f.bundle == "":
		return errors.New("--tasks: found no --bundle: want it too")
	case f.bundle != "" && (f.dryRun || f.status || f.draw != "" || f.launcher != "local" || f.profile != ""):
		return errors.New("--bundle: found --dry-run, --status, --draw, --launcher or --profile: want none of them with it")
	}
	return nil
}

// writeBundle writes the points without a result as tasks.
func (f *sweepFlags) writeBundle(c *cobra.Command, plan *sweep.Plan, store *sweep.Store) error {
	self, err := ownProgram()
	if err != nil {
		return err
	}
	text, err := plan.WriteBundle(f.bundle, self, store, f.tasks)
	if err != nil {
		return err
	}
	fmt.Fprintln(c.OutOrStdout(), text)
	return nil
}

// runSample runs some of the points without a result.
func (f *sweepFlags) runSample(c *cobra.Command, plan *sweep.Plan, store *sweep.Store) error {
	if f.sample == 0 {
		return nil
	}
	launcher, err := f.newLauncher(plan, store)
	if err != nil {
		return err
	}
	part, err := plan.Sample(store, f.sample)
	if err != nil {
		return err
	}
	return interrupted(part.Run(c.Context(), &f.Options, store, launcher))
}

// join joins the rows of tasks, and writes what a sweep of the experiment writes.
func (f *sweepFlags) join(c *cobra.Command, rows []string) error {
	if f.dryRun || f.status || f.draw != "" || f.launcher != "local" || f.tasks > 0 || f.small || len(f.axes)+len(f.set)+len(f.whatIf) > 0 || f.machine != "" {
		return errors.New("--merge: found a flag of an experiment or of its run: want -o, --cache and --bundle alone with it")
	}
	if f.bundle == "" {
		f.bundle = filepath.Dir(rows[0])
	}
	bundle, err := sweep.OpenBundle(filepath.Join(f.bundle, sweep.BundleFile))
	if err != nil {
		return fmt.Errorf("--merge: %w (--bundle names the folder that the rows are of)", err)
	}
	id, err := identity()
	if err != nil {
		return err
	}
	if err := bundle.CheckIdentity(id); err != nil {
		return fmt.Errorf("--merge: %w (the program in %s is of that version)", err, f.bundle)
	}
	plan, err := bundle.Plan(c.Context())
	if err != nil {
		return interrupted(err)
	}
	f.small = plan.Small
	f.Out = f.folder(plan.Experiment)
	if err := makeFolder(f.Out); err != nil {
		return err
	}
	store, err := f.Records()
	if err != nil {
		return err
	}
	warnings, err := bundle.Merge(plan, store, rows)
	warn(c, warnings)
	if err != nil {
		return err
	}
	text, err := bundle.Unfinished(plan, store)
	if err != nil {
		return err
	}
	if text != "" {
		fmt.Fprintln(c.ErrOrStderr(), text)
	}
	return f.finish(c, plan, store)
}
