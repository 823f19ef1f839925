// Command fuzz feeds the files of a range of seeds to a target, and reports the results. Run it at the root of this
// project:
//
//	go run ./internal/fuzz/cmd --target lower --first 0 --count 1000000
//	go run ./internal/fuzz/cmd --target all --seconds 36000
//
// A worker process does the work; one that hangs, dies or takes too much memory is a finding, as is a panic. Findings are written to a
// folder, each as the file that was fed and what happened. The exit status is 1 when there are any.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"spvsim/internal/fuzz"
)

type flags struct {
	target      string
	first       uint64
	count       uint64
	seconds     int
	out         string
	hang        time.Duration
	memory      uint64
	worker      string // of a worker process: the file that its seed is noted in
	listTargets bool
}

func main() {
	var f flags
	flag.StringVar(&f.target, "target", "all", "what to feed: one of those that --list names, or all")
	flag.Uint64Var(&f.first, "first", 0, "first `seed`")
	flag.Uint64Var(&f.count, "count", 0, "seeds; 0: as many as there is time for")
	flag.IntVar(&f.seconds, "seconds", 60, "time for each target, when no count is given")
	flag.StringVar(&f.out, "out", "fuzz-findings", "`folder` for findings")
	flag.DurationVar(&f.hang, "hang", 20*time.Second, "what one file may take")
	flag.Uint64Var(&f.memory, "memory", 4<<30, "memory that a worker may hold, in bytes")
	flag.StringVar(&f.worker, "worker", "", "of a worker: `file` to note seeds in")
	flag.BoolVar(&f.listTargets, "list", false, "list the targets")
	flag.Parse()
	os.Exit(f.run())
}

func (f *flags) run() int {
	if f.listTargets {
		for _, t := range fuzz.Targets {
			fmt.Printf("%-11s %s\n", t.Name, t.Help)
		}
		return 0
	}
	if f.worker != "" {
		return f.work()
	}
	status := 0
	for i := range fuzz.Targets {
		t := &fuzz.Targets[i]
		if f.target != "all" && f.target != t.Name {
			continue
		}
		findings, err := f.supervise(t)
		if err != nil {
			fmt.Fprintln(os.Stderr, "fuzz:", err)
			return 2
		}
		status = max(status, min(findings, 1))
	}
	if _, err := fuzz.Find(f.target); f.target != "all" && err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		return 2
	}
	return status
}

// keep writes a finding: the file, and what happened.
func (f *flags) keep(t *fuzz.Target, seed uint64, text string) error {
	if err := os.MkdirAll(f.out, 0o777); err != nil {
		return err
	}
	fuzzer, err := fuzz.New(t, ".")
	if err != nil {
		return err
	}
	in := fuzzer.Make(seed)
	name := filepath.Join(f.out, fmt.Sprintf("%s-%d", t.Name, seed))
	text = fmt.Sprintf("target %s, seed %d, made of %s\n%s\n", t.Name, seed, in.Base, text)
	fmt.Fprint(os.Stderr, "finding: ", firstLines(text, 3))
	if err := os.WriteFile(name+suffix(in.Base), in.Data, 0o666); err != nil {
		return err
	}
	return os.WriteFile(name+".txt", []byte(text), 0o666)
}

func suffix(base string) string {
	if s := filepath.Ext(base); s != ".spvasm" {
		return s
	}
	return ".spv" // modules are changed in their binary form
}

func firstLines(text string, n int) string {
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(lines[:min(len(lines), n)], "")
}
