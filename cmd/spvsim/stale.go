package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"spvsim/experiments"
	"spvsim/experiments/sweep"
	"spvsim/internal/files"
)

var errStale = errors.New("rows are out of date: run their experiments again")

// showStale prints whether a sweep would give the saved rows now: those of one experiment in a file, or of each in a
// folder of NAME.csv. Experiments whose program can't run on this computer are listed as not checked.
func (f *sweepFlags) showStale(c *cobra.Command, names []string) error {
	info, err := os.Stat(f.stale)
	if err != nil {
		return err
	}
	if !info.IsDir() && len(names) == 0 {
		return errors.New("sweep: --stale FILE: want the name of the experiment too (with a folder instead of a file, NAME.csv of each ready experiment is checked)")
	}
	if len(names) == 0 {
		names = experiments.FigureNames()
	}
	stale := 0
	for _, name := range names {
		file := f.stale
		if info.IsDir() {
			if file = filepath.Join(f.stale, name+".csv"); !exists(file) {
				continue
			}
		}
		text, err := f.staleness(c, name, file)
		switch {
		case errors.Is(err, errLacks):
			text = "not checked: " + err.Error()
		case err != nil:
			return fmt.Errorf("%s: %w", file, err)
		case text == "":
			text = "current"
		default:
			stale++
		}
		fmt.Fprintf(c.OutOrStdout(), "%-20s %s\n", name, text)
	}
	if stale > 0 {
		return &failure{errStale}
	}
	return nil
}

// staleness describes what has changed since a file of rows was written, or returns "".
func (f *sweepFlags) staleness(c *cobra.Command, name, file string) (string, error) {
	e, at, err := f.load(name)
	if err != nil {
		return "", err
	}
	id, err := identity()
	if err != nil {
		return "", err
	}
	if e.App != nil {
		folder, err := os.MkdirTemp("", "spvsim-stale-")
		if err != nil {
			return "", err
		}
		defer os.RemoveAll(folder)
		if at, err = runApp(c.Context(), e, at, folder); err != nil {
			return "", err
		}
	}
	plan, err := sweep.NewPlan(c.Context(), e, at, f.small, f.Limits, id)
	if err != nil {
		return "", err
	}
	rows, err := files.Read(file, files.MaxRows)
	if err != nil {
		return "", err
	}
	saved, err := plan.ReadSaved(bytes.NewReader(rows))
	if err != nil {
		return "", err
	}
	if text := saved.String(); text != "" {
		return text, nil
	}
	dir, err := os.MkdirTemp("", "spvsim-stale-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	store, err := sweep.OpenStore(dir)
	if err != nil {
		return "", err
	}
	launcher, err := f.newLauncher(plan, store)
	if err != nil {
		return "", err
	}
	return saved.Probe(c.Context(), store, launcher, f.staleSeed)
}
