// Command mutate measures how much the tests of the repository detect: it
// changes one place of a package at a time (an operator, a comparison, a bound,
// a statement that is left out), runs the tests of the package and of all
// packages that import it, and lists the changes that no test detects. Of these
// tests it runs those that run the changed function, the quickest first.
//
//	go run ./internal/mutate -n 40 -seed 7        40 changes, drawn from all packages
//	go run ./internal/mutate -n 40 -seed 7,8,9    as many for each of three seeds
//	go run ./internal/mutate -n 10 -seed 7 simd   ten changes of one package
//	go run ./internal/mutate -n 0 lds             every change of one package
//	go run ./internal/mutate -at code.go:15 simd  every change whose line contains that
//
// The tree is not touched: changed files reach the compiler through an overlay.
// Changes that do not compile, or make the same program, are not counted.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Options are what the command line asks for.
type options struct {
	choice
	list, whole bool
	left        bool          // say what each package's own tests leave to those of others
	limit       time.Duration // of one change's tests
	least       float64       // percent that have to be noticed
}

func main() {
	var o options
	o.seeds = seeds{1}
	flag.IntVar(&o.n, "n", 40, "changes drawn from the packages named, or from all, for each seed; 0: every one")
	flag.Var(&o.seeds, "seed", "of the draw; several with commas between share one build")
	flag.StringVar(&o.at, "at", "", "every change whose line contains this, instead of a draw")
	flag.BoolVar(&o.list, "list", false, "list the changes, run nothing")
	flag.BoolVar(&o.whole, "whole", false, "let what survives run the tests once more without -short")
	flag.BoolVar(&o.left, "left", false, "say at once which changes a package's own tests leave to those of others")
	flag.DurationVar(&o.limit, "limit", 5*time.Minute, "time for the tests of one change")
	flag.Float64Var(&o.least, "least", 0, "percent that have to be noticed")
	flag.Parse()
	os.Setenv("GOFLAGS", strings.TrimSpace(os.Getenv("GOFLAGS")+" -pgo=off")) // one build of each package, and not one more by the command's profile
	if err := o.run(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// run draws changes of the packages named, and says which the tests notice.
func (o *options) run(names []string) error {
	m, err := readModule()
	if err != nil {
		return err
	}
	for i, name := range names {
		names[i] = strings.TrimPrefix(filepath.ToSlash(filepath.Clean(name)), "./")
	}
	all, err := m.changes(names)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	list := o.draws(all)
	p, err := m.build(dir, all, list)
	if err != nil {
		return err
	}
	for _, d := range list {
		fmt.Printf("%s: %d of %d changes\n", d.name, len(d.now), len(all))
	}
	if o.list {
		for _, n := range p.numbers {
			fmt.Println("  ", &all[n-1])
		}
		return nil
	}
	return o.judge(m, p, list)
}

// judge runs the tests with each change, and adds up what they noticed.
func (o *options) judge(m *module, p *program, list []*draw) error {
	p.candidates(m)
	became, err := p.try(o.limit, o.whole, o.left)
	if err != nil {
		return err
	}
	whole := newTally()
	for _, n := range p.numbers {
		c := &p.all[n-1]
		if whole.count(c.pkg(), became[n]); became[n] != noticed {
			fmt.Printf("   %s: %s\n", became[n], c)
		}
	}
	whole.byPackage()
	for _, d := range list {
		t := newTally()
		for _, n := range d.now {
			t.count(p.all[n-1].pkg(), became[n])
		}
		fmt.Printf("%s: %s\n", d.name, t)
	}
	return whole.enough(o.least)
}
