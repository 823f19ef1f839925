// Command mutate asks how much the tests of the model see: it changes one place
// of a package at a time (an operator, a comparison, a bound, a statement that is
// left out), runs the tests of the package and of those that stand on it, and
// lists the changes that no test noticed.
//
//	go run ./internal/mutate                      all packages of the model, 40 changes each
//	go run ./internal/mutate -n 10 -seed 7 simd   ten changes of one package
//
// The tree is not touched: a changed file reaches the compiler through an overlay.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// tests are the packages whose tests have to notice a change of a package: its
// own, and those next to it.
var tests = map[string][]string{
	"simd":      {"./simd", "./scheduler"},
	"lds":       {"./lds", "./scheduler"},
	"cu":        {"./cu", "./scheduler"},
	"scheduler": {"./scheduler", "./gpu"},
	"mem":       {"./mem"},
	"gpu":       {"./gpu"},
}

var order = []string{"simd", "lds", "cu", "scheduler", "mem", "gpu"}

func main() {
	n := flag.Int("n", 40, "changes of each package")
	seed := flag.Int64("seed", 1, "of the choice among all changes")
	limit := flag.Duration("timeout", 3*time.Minute, "of the tests of one change; one that never ends is noticed")
	list := flag.Bool("list", false, "list the changes, run nothing")
	flag.Parse()
	packages := flag.Args()
	if len(packages) == 0 {
		packages = order
	}
	killed, total := 0, 0
	for _, p := range packages {
		p = strings.TrimPrefix(filepath.ToSlash(filepath.Clean(p)), "./")
		if tests[p] == nil {
			fmt.Fprintf(os.Stderr, "mutate: %q: want one of %s\n", p, strings.Join(order, ", "))
			os.Exit(2)
		}
		all, err := changes(p)
		if err != nil {
			fmt.Fprintln(os.Stderr, "mutate:", err)
			os.Exit(1)
		}
		picked := pick(all, *n, *seed)
		fmt.Printf("%s: %d of %d changes\n", p, len(picked), len(all))
		k := 0
		for i := range picked {
			if *list {
				fmt.Println("  ", &picked[i])
				continue
			}
			seen, err := noticed(&picked[i], tests[p], *limit)
			if err != nil {
				fmt.Fprintln(os.Stderr, "mutate:", err)
				os.Exit(1)
			}
			if seen {
				k++
			} else {
				fmt.Println("   survives:", &picked[i])
			}
		}
		fmt.Printf("%s: %d of %d noticed\n", p, k, len(picked))
		killed, total = killed+k, total+len(picked)
	}
	fmt.Printf("%d of %d noticed, %.1f %%\n", killed, total, 100*float64(killed)/float64(max(total, 1)))
}

// pick chooses n of the changes, in the order of the source.
func pick(all []change, n int, seed int64) []change {
	at := rand.New(rand.NewSource(seed)).Perm(len(all))[:min(n, len(all))]
	slices.Sort(at)
	var out []change
	for _, i := range at {
		out = append(out, all[i])
	}
	return out
}

// noticed says whether a change fails a test, or does not compile.
func noticed(c *change, packages []string, limit time.Duration) (bool, error) {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	path, err := filepath.Abs(c.file)
	if err != nil {
		return false, err
	}
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{path: changed}})
	if err := errors.Join(err, os.WriteFile(changed, c.apply(), 0o600), os.WriteFile(overlay, text, 0o600)); err != nil {
		return false, err
	}
	for _, p := range packages {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		err := exec.CommandContext(ctx, "go", "test", "-short", "-failfast", "-vet=off", "-overlay", overlay, p).Run()
		cancel()
		if err != nil {
			return true, nil
		}
	}
	return false, nil
}
