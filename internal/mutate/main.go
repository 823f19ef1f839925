// Command mutate asks how much the tests of the model see: it changes one place
// of a package at a time (an operator, a comparison, a bound, a statement that is
// left out), runs the tests of the package and of those that stand on it, those
// that run the changed function and the quickest first, and lists the changes
// that no test noticed.
//
//	go run ./internal/mutate                      all packages of the model, 40 changes each
//	go run ./internal/mutate -n 10 -seed 7 simd   ten changes of one package
//	go run ./internal/mutate -n 0 lds             every change of one package
//	go run ./internal/mutate -at code.go:15 simd  every change whose line contains that
//
// The tree is not touched: changed files reach the compiler through an overlay.
// Changes that do not compile are not counted.
package main

import (
	"flag"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// tests are the packages whose tests have to notice a change of a package: its
// own, and those next above it where what it does shows: compute units that go
// ahead on threads in systemtest, textures in gpu, runs without time in experiments.
var tests = map[string][]string{
	"simd":      {"simd", "scheduler"},
	"lds":       {"lds", "scheduler"},
	"lookahead": {"lookahead", "systemtest"},
	"cu":        {"cu", "scheduler", "systemtest"},
	"scheduler": {"scheduler", "gpu"},
	"mem":       {"mem", "scheduler", "gpu"},
	"gpu":       {"gpu", "systemtest", "experiments"},
}

var order = []string{"simd", "lds", "lookahead", "cu", "scheduler", "mem", "gpu"}

// A choice among the changes of a package.
type choice struct {
	n    int // 0: all
	seed int64
	at   string // part of a change's line; empty: any
	list bool
}

func main() {
	var c choice
	flag.IntVar(&c.n, "n", 40, "changes of each package; 0: all")
	flag.Int64Var(&c.seed, "seed", 1, "of the choice among all changes")
	flag.StringVar(&c.at, "at", "", "every change whose line contains this, instead of a choice")
	flag.BoolVar(&c.list, "list", false, "list the changes, run nothing")
	flag.Parse()
	packages := flag.Args()
	if len(packages) == 0 {
		packages = order
	}
	killed, total := 0, 0
	for _, p := range packages {
		k, n, err := c.run(strings.TrimPrefix(filepath.ToSlash(filepath.Clean(p)), "./"))
		if err != nil {
			fmt.Fprintln(os.Stderr, "mutate:", err)
			os.Exit(1)
		}
		killed, total = killed+k, total+n
	}
	fmt.Printf("%d of %d noticed, %.1f %%\n", killed, total, 100*float64(killed)/float64(max(total, 1)))
}

// run says how many of the chosen changes of a package were noticed.
func (c *choice) run(pkg string) (killed, total int, err error) {
	if tests[pkg] == nil {
		return 0, 0, fmt.Errorf("%q: want one of %s", pkg, strings.Join(order, ", "))
	}
	all, err := changes(pkg)
	if err != nil {
		return 0, 0, err
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	p, compile, err := build(dir, pkg, all, tests[pkg])
	if err != nil {
		return 0, 0, err
	}
	picked := c.pick(all, compile)
	fmt.Printf("%s: %d of %d changes\n", pkg, len(picked), len(compile))
	if c.list {
		for _, n := range picked {
			fmt.Println("  ", &all[n-1])
		}
		return 0, 0, nil
	}
	if err := p.measure(pkg); err != nil {
		return 0, 0, err
	}
	for i, n := range picked {
		if c := &all[n-1]; p.noticed(n, c) {
			killed++
		} else {
			fmt.Printf("   survives, the %d. of %d: %s\n", i+1, len(picked), c)
		}
	}
	fmt.Printf("%s: %d of %d noticed\n", pkg, killed, len(picked))
	return killed, len(picked), nil
}

// pick chooses among the changes of the given numbers, in the order of the source.
func (c *choice) pick(all []change, numbers []int) []int {
	if c.at != "" {
		return slices.DeleteFunc(slices.Clone(numbers), func(n int) bool { return !strings.Contains(all[n-1].String(), c.at) })
	}
	if c.n == 0 || c.n >= len(numbers) {
		return numbers
	}
	var out []int
	for _, i := range rand.New(rand.NewSource(c.seed)).Perm(len(numbers))[:c.n] {
		out = append(out, numbers[i])
	}
	slices.Sort(out)
	return out
}
