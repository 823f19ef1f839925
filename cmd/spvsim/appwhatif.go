package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/tracing"
)

// checkWhatIf refuses counterfactuals that no dispatch can have, before the program starts.
func (f *appFlags) checkWhatIf(c *cobra.Command) error {
	switch {
	case f.whatIf.texts == nil:
		return nil
	case !c.Flags().Changed("select"):
		return errors.New("--what-if: want --select with it, which chooses dispatches")
	case f.capture != "":
		return errors.New("--what-if: found --capture too: want one of them (spvsim run --what-if runs captured jobs)")
	}
	if _, err := config.ParseWhatIf(f.whatIf.texts); err != nil {
		return fmt.Errorf("--what-if: %w", err)
	}
	return nil
}

// counterfactuals runs the dispatches that the program left as jobs on the counterfactual machines, and shows their results.
// Each run begins as the dispatch in the program did: from the same memory, and cold caches.
func (f *appFlags) counterfactuals(c *cobra.Command) error {
	if f.whatIf.texts == nil {
		return nil
	}
	var jobs []string
	err := filepath.WalkDir(f.capture, func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".yaml" {
			jobs = append(jobs, path)
		}
		return err
	})
	if len(jobs) == 0 && (err == nil || errors.Is(err, os.ErrNotExist)) {
		return &failure{fmt.Errorf("--what-if: no dispatch was captured: want a dispatch that --select %s chooses", f.choice)}
	}
	for _, path := range jobs {
		err = errors.Join(err, f.counterfactualsOf(c, path))
	}
	return err
}

// counterfactualsOf runs one captured job.
func (f *appFlags) counterfactualsOf(c *cobra.Command, path string) error {
	load := func(settings []string) (*config.Job, *config.Machine, error) {
		return (&config.CommandLine{Set: settings}).Load(nil, path)
	}
	job, machine, err := load(nil)
	if err != nil {
		return err
	}
	setup := gpu.Setup{Machine: machine, Job: job, MaxHostSeconds: f.seconds, Observer: printer{c.ErrOrStderr()}}
	if f.mode == config.ModeSampled {
		setup.Mode = f.mode
	}
	one := f.whatIf
	if err := one.prepare(&setup, load); err != nil {
		return err
	}
	result, err := gpu.Run(c.Context(), setup)
	if err == nil || errors.Is(err, gpu.ErrExpectation) {
		err = cmp.Or(one.compare(c, 0, result), err)
	}
	if result == nil || result.Stats.WhatIf == nil {
		return fmt.Errorf("--what-if: %s: %w", job.Description, err)
	}
	fmt.Fprintf(c.ErrOrStderr(), "\n%s, on %s, from cold caches:", job.Description, machine.Name)
	return errors.Join(err, tracing.WriteCounterfactuals(c.ErrOrStderr(), result.Stats, one.plan.Absent))
}
