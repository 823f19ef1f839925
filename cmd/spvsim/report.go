package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/files"
	"spvsim/tracing/profile"
	"spvsim/tracing/report"
	"spvsim/vulkan/rows"
)

// reportFlags select the content of the page, besides its runs.
type reportFlags struct {
	jobFlags
	whatIf whatIfFlag
	out    string
	strict bool
}

func reportCommand() *cobra.Command {
	var f reportFlags
	c := &cobra.Command{
		Use:   "report RUN...",
		Short: "Write an HTML page that shows where the time of runs went",
		Long: `Write one HTML page that shows in pictures and tables where the time of runs went. The page needs no network. A run is one of
  - a job, which is run now;
  - a profile that spvsim run --profile wrote (.json);
  - the rows of a Vulkan program that spvsim app --rows wrote (.csv, .parquet). The page shows their dispatches by pipeline.`,
		Example: `  spvsim report reduce --what-if all    with what machines without one limit each would save
  spvsim run job.yaml --profile a.json
  spvsim run job.yaml --set lds.banks=64 --profile b.json
  spvsim report a.json b.json --out compared.html
  spvsim report rows.csv                the dispatches of a Vulkan program, by pipeline`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("report: want runs: jobs, or files of spvsim run --profile (see %s --help)", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	c.Flags().StringVarP(&f.out, "out", "o", "report.html", "write the page to this `file`; - is standard output")
	f.add(c)
	f.whatIf.add(c)
	strictFlag(c, &f.strict)
	return completeWord(c, true, jobNames)
}

func (f *reportFlags) run(c *cobra.Command, names []string) error {
	if err := checkOutputs(outputFile{"out", f.out}); err != nil {
		return err
	}
	noteFormats(c, outputFile{"out", f.out})
	var list []*profile.Profile
	var programs []*report.Program
	for _, name := range names {
		if ext := filepath.Ext(name); f.whatIf.texts != nil && slices.Contains([]string{".json", ".csv", ".parquet"}, ext) {
			return fmt.Errorf("--what-if: found %s, which is not run again: want jobs", name)
		}
		if ext := filepath.Ext(name); ext == ".csv" || ext == ".parquet" {
			p, err := readProgram(name)
			if err != nil {
				return err
			}
			programs = append(programs, p)
			continue
		}
		p, err := f.profile(c, name)
		if err != nil {
			return err
		}
		list = append(list, p)
	}
	return writeTo(c, f.out, func(w io.Writer) error { return report.WritePrograms(w, programs, list) })
}

// readProgram reads the rows of a program; there must be some.
func readProgram(name string) (*report.Program, error) {
	if _, err := os.Stat(name); err != nil {
		return nil, err
	}
	file, err := rows.Read(name)
	if err == nil && len(file.Rows) == 0 {
		err = fmt.Errorf("%s: no rows", name)
	}
	if err != nil {
		return nil, err
	}
	return file.Page(strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))), nil
}

// profile reads a saved profile or runs a job to get one.
func (f *reportFlags) profile(c *cobra.Command, name string) (*profile.Profile, error) {
	if !strings.HasSuffix(name, ".json") {
		return f.profileJob(c, name)
	}
	data, err := files.Read(name, files.MaxJSON)
	if err != nil {
		return nil, err
	}
	p, err := profile.Read(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

func (f *reportFlags) profileJob(c *cobra.Command, name string) (*profile.Profile, error) {
	load, err := f.loader(c, name)
	if err != nil {
		return nil, err
	}
	job, machine, err := load(nil)
	if err != nil {
		return nil, wantsJob(name, err)
	}
	collector := profile.NewCollector()
	var r *gpu.Result
	setup := gpu.Setup{Machine: machine, Job: job, Tracer: collector, Observer: printer{c.ErrOrStderr()}, Strict: f.strict}
	if err := f.whatIf.prepare(&setup, load); err != nil {
		return nil, err
	}
	err = unbounded(c, func() error {
		if setup.Machine, err = gpu.UnderLimit(c.Context(), setup); err != nil {
			return err
		}
		if r, err = gpu.Run(c.Context(), setup); err != nil {
			return err
		}
		return f.whatIf.compare(c, 0, r)
	})
	if errors.Is(err, gpu.ErrRun) {
		return nil, &failure{fmt.Errorf("%s: %w", name, err)}
	}
	if err != nil {
		return nil, firstFault(err)
	}
	if !f.strict {
		warn(c, r.Remarks())
	}
	return newProfile(job, collector, setup.Machine, r)
}

// newProfile returns the profile of a run, with the simulator's version and the run's warnings.
func newProfile(job *config.Job, c *profile.Collector, m *config.Machine, r *gpu.Result) (*profile.Profile, error) {
	p, err := profile.New(job, c, m, r.Stats, r.Listings)
	if err != nil {
		return nil, err
	}
	p.Version = versionText()
	p.Warnings = slices.Concat(p.Warnings, r.Warnings, r.Unused, r.Idle, r.Faults)
	return p, nil
}
