// Command judge compares the code of package program with that of Mesa's RADV: static code of all compute modules in
// the repository, or executed code of jobs.
//
//	go run ./internal/judge/cmd                      ratios by machine, and the modules that are furthest off
//	go run ./internal/judge/cmd -csv rows.csv DIR    a line for each module below DIR and machine
//	go run ./internal/judge/cmd -jobs reduce,fft     ready jobs, weighted by what a run without time counts
//	go run ./internal/judge/cmd -root DIR -jobs all  the Mesa of another system, as debootstrap makes one in a folder
//	go run ./internal/judge/cmd -page docs/model/lowering.md   the comparison on that page, with the ready jobs as executed
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/internal/judge"
)

// root is the folder of the system whose Mesa is asked; empty: this one.
var root string

func main() {
	csv := flag.String("csv", "", "`file` for a line for each module and machine")
	worst := flag.Int("worst", 30, "how many of the furthest off to list")
	jobs := flag.String("jobs", "", "ready `jobs` to run, with commas; all: those of the library")
	flag.StringVar(&root, "root", "", "`folder` with another system, whose Mesa is asked instead of this one's; only root may do so")
	show := flag.Bool("v", false, "print each comparison")
	page := flag.String("page", "", "`file` whose comparison to write anew: of the repository's modules, then of those in the folders")
	flag.Parse()
	rows, err := collect(*jobs, flag.Args())
	if err == nil && *page != "" {
		err = writePage(*page, rows, flag.Args(), *worst)
	}
	if err == nil {
		err = write(rows, *csv, *worst, *show)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func collect(jobs string, folders []string) ([]judge.Row, error) {
	open := judge.Open
	if root != "" {
		open = func() (*judge.Driver, error) { return judge.OpenIn(root) }
	}
	d, err := open()
	if err != nil {
		return nil, err
	}
	if jobs != "" {
		return ofJobs(d, jobs)
	}
	if len(folders) == 0 {
		folders = judge.Folders
	}
	shaders, err := judge.Modules(".", folders)
	if err != nil {
		return nil, err
	}
	return d.Rows(shaders, func(done, all int) { fmt.Fprintf(os.Stderr, "\r%d of %d", done, all) })
}

func writePage(page string, rows []judge.Row, folders []string, worst int) error {
	sets := []judge.Set{{Name: "Modules of the repository", Rows: rows}}
	if len(folders) > 0 {
		own, err := collect("", nil)
		if err != nil {
			return err
		}
		sets = []judge.Set{{Name: sets[0].Name, Rows: own}, {Name: "Shaders of other kinds", Rows: rows}}
	}
	ran, err := collect("all", nil)
	if err != nil {
		return err
	}
	return judge.WritePage(page, append(sets, judge.Set{Name: "Ready jobs, as executed", Rows: ran, Executed: true}), worst)
}

func ofJobs(d *judge.Driver, names string) (rows []judge.Row, err error) {
	list := strings.Split(names, ",")
	if names == "all" {
		list = experiments.Names()
	}
	for _, name := range list {
		files, file, _, err := experiments.Lookup(name)
		if err != nil {
			return nil, err
		}
		job, err := config.LoadJob(files, file)
		if err != nil {
			return nil, err
		}
		more, err := d.JobRows(context.Background(), name, job)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

func write(rows []judge.Row, csv string, worst int, show bool) error {
	fmt.Fprintln(os.Stderr)
	for i := range rows {
		switch r := &rows[i]; {
		case r.Err != nil:
			fmt.Fprintf(os.Stderr, "%s, %s: %v\n", r.Name, r.Machine, r.Err)
		case show:
			if err := r.Write(os.Stdout, true); err != nil {
				return err
			}
		}
	}
	if csv != "" {
		f, err := os.Create(csv)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := judge.WriteCSV(f, rows); err != nil {
			return err
		}
	}
	return judge.WriteSummary(os.Stdout, rows, worst)
}
