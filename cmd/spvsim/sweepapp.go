package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"spvsim/config"
	"spvsim/experiments/sweep"
	"spvsim/vulkan/launch"
)

// firstCapture is the job that the driver writes first.
const firstCapture = "0001.yaml"

// errLacks marks an experiment whose program needs something that this computer lacks.
var errLacks = errors.New("missing on this computer")

// runApp runs the program of an experiment at a place, whose captures replace a job file. The program's output goes to standard
// error.
func runApp(ctx context.Context, e *config.Experiment, at sweep.FileLocation, folder string) (sweep.FileLocation, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return at, err
	}
	if _, err := config.LoadMachine(config.Request{Machine: e.App.Machine}); err != nil {
		return at, fmt.Errorf("app.machine: %w", err)
	}
	if missing := e.App.Missing(); len(missing) > 0 {
		return at, fmt.Errorf("%s: app: %w: %s", e.Name, errLacks, strings.Join(missing, ", "))
	}
	if err := clearCaptures(folder); err != nil {
		return at, err
	}
	manifest, err := launch.Driver(ctx, os.Stderr)
	if err != nil {
		return at, err
	}
	p := launch.Program{
		Args: e.App.Run, Manifest: manifest, Mode: "functional", Capture: folder, Select: cmp.Or(e.App.Select, "*"), WholeSubmissions: e.App.WholeSubmissions,
		Stdout: os.Stderr, Stderr: os.Stderr,
	}
	if e.App.Machine != "" {
		p.Machines = []string{e.App.Machine}
	}
	if err := p.Run(ctx); err != nil {
		return at, &failure{fmt.Errorf("%s: app: %s: %w", e.Name, e.App.Run[0], err)}
	}
	if !exists(filepath.Join(folder, firstCapture)) {
		return at, &failure{fmt.Errorf("%s: app: %s: nothing was captured: want a dispatch that app.select chooses", e.Name, e.App.Run[0])}
	}
	e.Job = firstCapture
	return at.In(folder), nil
}

// clearCaptures removes the jobs of an earlier run, so that none is mistaken for one of this run. Their data files
// stay: they are named by their digest.
func clearCaptures(folder string) error {
	list, err := filepath.Glob(filepath.Join(folder, "[0-9][0-9][0-9][0-9]*.yaml"))
	for _, file := range list {
		err = errors.Join(err, os.Remove(file))
	}
	return errors.Join(err, os.MkdirAll(folder, 0o777))
}
