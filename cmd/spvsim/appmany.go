package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"spvsim/internal/files"
	"spvsim/vulkan/launch"
)

// manyFlags select the programs, and how many run at the same time.
type manyFlags struct {
	list string // file of command lines; empty: the program that the command line names
	jobs int
}

func (f *manyFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.list, "programs", "", "run the programs in this `file`: on each line a program and its arguments, as sh reads them (- is standard input). Rows, page and trace have all programs, in the order of the lines")
	addInteger(flags, &f.jobs, "jobs", 1, 1, math.MaxInt32, "`number` of programs of --programs that run at a time")
}

// check refuses a program together with a list, and neither of them.
func (f *manyFlags) check(c *cobra.Command, args []string) error {
	switch {
	case f.list == "" && len(args) == 0:
		return fmt.Errorf("app: want a program and its arguments after --, or --programs FILE (see %s --help)", c.CommandPath())
	case f.list != "" && len(args) > 0:
		return fmt.Errorf("--programs %s: found the program %s too: want one of them", f.list, args[0])
	case f.jobs < 1:
		return fmt.Errorf("--jobs %d: want a number from 1 on", f.jobs)
	case f.list == "" && c.Flags().Changed("jobs"):
		return errors.New("--jobs: want --programs with it")
	}
	return nil
}

// lines returns the programs of the list, without blank lines and lines that begin with #.
func (f *manyFlags) lines(stdin io.Reader) (list []string, err error) {
	var text []byte
	if f.list == "-" {
		text, err = files.Drain(stdin, displayName(f.list), files.MaxList)
	} else {
		text, err = files.Read(f.list, files.MaxList)
	}
	if err != nil {
		return nil, fmt.Errorf("--programs: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			list = append(list, line)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("--programs %s: found no program: want one on each line", f.list)
	}
	return list, nil
}

// One of several programs: its output is held back until the programs before it have ended.
type listedProgram struct {
	launch.Program
	out, errs bytes.Buffer
	done      chan struct{}
	err       error
}

// newOne copies a program, with a line for sh, and its own file of rows and folder of captures.
func newOne(p *launch.Program, folder string, number int, line string) *listedProgram {
	one := &listedProgram{Program: *p, done: make(chan struct{})}
	one.Args, one.Record = []string{"sh", "-c", line}, filepath.Join(folder, fmt.Sprintf("rows-%d.csv", number))
	if p.Capture != "" {
		one.Capture = filepath.Join(p.Capture, fmt.Sprintf("%02d", number))
	}
	one.Stdin, one.Stdout, one.Stderr, one.Progress = nil, &one.out, &one.errs, nil
	return one
}

// run runs the programs of the list, f.jobs at a time, and shows and merges their results in the order of the list.
func (f *manyFlags) run(ctx context.Context, p *launch.Program, folder string, lines []string) error {
	list := make([]*listedProgram, len(lines))
	free := make(chan struct{}, f.jobs)
	for i, line := range lines {
		list[i] = newOne(p, folder, i+1, line)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for _, one := range list {
			free <- struct{}{}
			all.Go(func() {
				one.err = one.Run(ctx)
				<-free
				close(one.done)
			})
		}
	})
	defer all.Wait()
	var errs []error
	for i, one := range list {
		<-one.done
		errs = append(errs, one.appendResults(p, lines[i]))
	}
	return errors.Join(errs...)
}

// appendResults shows a program's output, and appends its rows to the others'.
func (one *listedProgram) appendResults(p *launch.Program, line string) error {
	_, err := p.Stdout.Write(one.out.Bytes())
	_, also := p.Stderr.Write(one.errs.Bytes())
	err = cmp.Or(err, also)
	if one.err != nil {
		err = errors.Join(err, &failure{fmt.Errorf("%s: %w", line, one.err)})
	}
	return errors.Join(err, addRows(p.Record, one.Record))
}

// addRows appends a file of rows to another, without its header. A program that created no device has no rows.
func addRows(to, from string) error {
	data, err := files.Read(from, files.MaxRows)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	file, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	if at, err := file.Seek(0, io.SeekEnd); err == nil && at > 0 {
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Close())
}
