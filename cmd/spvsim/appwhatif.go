package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
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
	case f.whatIf.texts == nil && f.whatIfJSON != "":
		return errors.New("--what-if-json: want --what-if with it")
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

// counterfactuals runs the dispatches that the program left as jobs on the counterfactual machines, and shows and writes their results.
// Each run begins as the dispatch in the program did: from the same memory, and cold caches.
func (f *appFlags) counterfactuals(c *cobra.Command) (list []tracing.ComparedDispatch, err error) {
	if f.whatIf.texts == nil {
		return nil, nil
	}
	var jobs []string
	err = filepath.WalkDir(f.capture, func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".yaml" {
			jobs = append(jobs, path)
		}
		return err
	})
	if len(jobs) == 0 && (err == nil || errors.Is(err, os.ErrNotExist)) {
		return nil, &failure{fmt.Errorf("--what-if: no dispatch was captured: want a dispatch that --select %s chooses", f.choice)}
	}
	for _, path := range jobs {
		d, failed := f.counterfactualsOf(c, path)
		if err = errors.Join(err, failed); d == nil {
			continue
		}
		d.Name = fmt.Sprintf("%d: %s", len(list)+1, d.Name) // dispatches of a pipeline have one name
		list = append(list, *d)
		if !f.quiet {
			fmt.Fprintf(c.ErrOrStderr(), "\n%s, on %s, from cold caches:", d.Name, d.Statistics.Machine)
			err = errors.Join(err, tracing.WriteCounterfactuals(c.ErrOrStderr(), d.Statistics, d.Absent))
		}
	}
	if f.whatIfJSON != "" {
		err = errors.Join(err, writeTo(c, f.whatIfJSON, func(w io.Writer) error { return tracing.WriteDispatches(w, list) }))
	}
	return list, err
}

// counterfactualsOf runs one captured job; the result is nil if there are no counterfactuals of it.
func (f *appFlags) counterfactualsOf(c *cobra.Command, path string) (*tracing.ComparedDispatch, error) {
	load := func(settings []string) (*config.Job, *config.Machine, error) {
		return (&config.CommandLine{Set: settings}).Load(nil, path)
	}
	job, machine, err := load(nil)
	if err != nil {
		return nil, err
	}
	setup := gpu.Setup{Machine: machine, Job: job, MaxHostSeconds: f.seconds, Observer: printer{c.ErrOrStderr()}}
	if f.mode == config.ModeSampled {
		setup.Mode = f.mode
	}
	one := f.whatIf
	if err := one.prepare(&setup, load); err != nil {
		return nil, err
	}
	result, err := gpu.Run(c.Context(), setup)
	if err == nil || errors.Is(err, gpu.ErrExpectation) {
		err = cmp.Or(one.compare(c, 0, result), err)
	}
	if result == nil || result.Stats.WhatIf == nil {
		return nil, fmt.Errorf("--what-if: %s: %w", job.Description, err)
	}
	return &tracing.ComparedDispatch{Name: job.Description, Statistics: result.Stats, Absent: one.plan.Absent}, err
}
