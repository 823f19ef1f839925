// Command sampling tests the intervals of sampled runs: it draws random workloads, runs each one timed and sampled,
// and reports how often the true time is in the interval, how wide the intervals are, and how much host time
// sampling saves. With -library, it draws jobs of the library, for all machines.
//
//	go run ./experiments/sampling -n 200 -first 1000 -out rows.csv
//	go run ./experiments/sampling -library -n 60 -first 1 -out experiments/sampling/library.csv
//	go run ./experiments/sampling -library -long -n 150 -first 1001 -out experiments/sampling/long.csv
//	go run ./experiments/sampling -pairs -n 40 -first 1 -out experiments/sampling/pairs.csv
package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"spvsim/internal/files"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sampling:", err)
		os.Exit(1)
	}
}

func run(args []string, to io.Writer) error {
	f := flag.NewFlagSet("sampling", flag.ContinueOnError)
	n := f.Uint64("n", 16, "workloads")
	first := f.Uint64("first", 0, "seed of the first one; the others follow it")
	kind := f.String("kind", "", "only workloads whose kind begins so")
	out := f.String("out", "", "file for the rows as CSV")
	library := f.Bool("library", false, "draw jobs of the library, with sizes and machines, instead of generating workloads")
	long := f.Bool("long", false, "with -library: draw sizes whose timed runs take some 5 to 30 s")
	pairs := f.Bool("pairs", false, "run such jobs on two machines that differ in one key, and compare the ratios of their cycles")
	timed := f.String("timed", "", "rows of an earlier run, whose timed runs are taken as they are")
	only := f.Bool("only-timed", false, "leave sampled runs out, for rows that -timed takes")
	keys := f.String("sampling", "", "keys of the jobs' sampling, such as \"budget: 0.3, pieces: 96\"")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *pairs {
		return measurePairs(*first, *n, *timed, *out, to)
	}
	known, err := readBySeed(*timed, parseRow)
	if err != nil {
		return err
	}
	file, err := newRowsFile(*out, columns)
	if err != nil {
		return err
	}
	var rows []row
	for seed := *first; seed < *first+*n; seed++ {
		w := newWorkload(seed)
		if *library {
			w = newLibraryWorkload(seed, *long)
		}
		w.sampling = *keys
		if !strings.HasPrefix(w.kind, *kind) {
			continue
		}
		r, err := measure(context.Background(), w, known[seed], *only)
		if err != nil {
			return fmt.Errorf("seed %d (%s): %w", seed, w.kind, err)
		}
		rows = append(rows, r)
		fmt.Fprintln(to, r.text(*only))
		if err := file.write(r.record()); err != nil {
			return err
		}
	}
	fmt.Fprintln(to, summaryOf(rows, *only))
	return file.Close()
}

// readBySeed reads the rows of a file by seed; none without a file.
func readBySeed[R any](name string, parse func([]string) (uint64, R, error)) (map[uint64]*R, error) {
	if name == "" {
		return nil, nil
	}
	data, err := files.Read(name, files.MaxRows)
	if err != nil {
		return nil, err
	}
	list, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return nil, err
	}
	rows := map[uint64]*R{}
	for i, record := range list[min(1, len(list)):] {
		seed, r, err := parse(record)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+2, err)
		}
		rows[seed] = &r
	}
	return rows, nil
}

// A rowsFile writes rows as they arrive; without a name it writes nothing.
type rowsFile struct {
	*os.File
	*csv.Writer
}

func newRowsFile(name string, columns []string) (*rowsFile, error) {
	if name == "" {
		return nil, nil
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	r := &rowsFile{f, csv.NewWriter(f)}
	return r, r.Writer.Write(columns)
}

func (f *rowsFile) write(record []string) error {
	if f == nil {
		return nil
	}
	f.Writer.Write(record)
	f.Flush()
	return f.Error()
}

// Close closes the file.
func (f *rowsFile) Close() error {
	if f == nil {
		return nil
	}
	return f.File.Close()
}
