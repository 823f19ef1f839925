// Package fuzz feeds changed files to all readers of files: modules to validation, lowering and execution; jobs, machines,
// experiments, figures, profiles and rows to their readers and to the code that uses the result. The same seed gives the
// same file, so that a number identifies a finding.
//
// The package does not know the right results: a refusal is as good as a result. It finds panics, hangs and excessive use of
// memory.
package fuzz

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"spvsim/config"
	"spvsim/internal/fuzz/mutate"
)

// An Input is a changed file. Base is the name of the original, by which targets that need several files find the others.
type Input struct {
	Base string
	Data []byte
}

// A Target reads inputs.
type Target struct {
	Name string
	Help string
	// bases loads the original files, from the sources of this project.
	bases func(root string) ([]Input, error)
	// change returns a changed copy of a file.
	change func(in Input, rng *rand.Rand) []byte
	// feed reads a file, and returns in a word or two how far it got.
	feed func(f *Fuzzer, in Input) string
}

// Targets are all targets.
var Targets = []Target{
	{"lower", "modules through validation and lowering", moduleBases, changeModule, lower},
	{"kernel", "modules of kernels, the part that each kernel reaches, through validation and lowering", kernelBases, changeGently, lowerKernels},
	{"execute", "modules through validation, lowering and execution", jobBases, changeGently, execute},
	{"job", "job files, with their buffers and graphs", globs("experiments/library/*.yaml", "experiments/figures/jobs/*.yaml"), changeYAML, readJob},
	{"machine", "machine files, and machines built from them", globs("config/machines/*.yaml"), changeYAML, readMachine},
	{"experiment", "experiment files, with their points", globs("experiments/figures/*.yaml"), changeYAML, readExperiment},
	{"figure", "figure files, drawn", globs("plots/testdata/*.yaml"), changeYAML, drawFigure},
	{"profile", "profiles of runs, made into reports", profileBases, changeBytes, writeReport},
	{"csv", "rows as CSV", globs("plots/testdata/*.csv"), changeBytes, readCSV},
	{"parquet", "rows as Parquet", parquetBases, changeBytes, readParquet},
	{"init", "modules, of which first jobs are written", moduleBases, changeModule, begin},
	{"nest", "modules of types that hold one another many times, through validation and lowering", nestBases, changeNest, lower},
	{"begin", "the same modules, of which first jobs are written", nestBases, changeNest, begin},
	{"command", "files of all kinds, through each command that reads them, in a process of its own", commandBases, changeAny, command},
	{"asm", "the text of modules, assembled", globs("experiments/library/*.spvasm", "gpu/testdata/*.spvasm"), changeBytes, assemble},
}

// Find returns the target of a name.
func Find(name string) (*Target, error) {
	var names []string
	for i := range Targets {
		if Targets[i].Name == name {
			return &Targets[i], nil
		}
		names = append(names, Targets[i].Name)
	}
	return nil, fmt.Errorf("no target %q: want one of %s", name, strings.Join(names, ", "))
}

// A Fuzzer is a target with its files.
type Fuzzer struct {
	*Target
	root     string
	bases    []Input
	machines map[string]*config.Machine // of jobs that ran
}

// New loads a target's files; root is the folder of this project's sources.
func New(t *Target, root string) (*Fuzzer, error) {
	bases, err := t.bases(root)
	if err == nil && len(bases) == 0 {
		err = fmt.Errorf("%s has no files for target %s", root, t.Name)
	}
	slices.SortFunc(bases, func(a, b Input) int { return strings.Compare(a.Base, b.Base) })
	return &Fuzzer{Target: t, root: root, bases: bases, machines: map[string]*config.Machine{}}, err
}

// Make returns the changed file of a seed.
func (f *Fuzzer) Make(seed uint64) Input {
	rng := rand.New(rand.NewPCG(seed, stream))
	in := f.bases[rng.IntN(len(f.bases))]
	return Input{in.Base, f.change(in, rng)}
}

// stream is the second seed word of every generator, any odd number.
const stream = 0x5eed

// A Panic is a panic that an input caused.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("panic: %v\n%s", p.Value, p.Stack) }

// Feed reads a file, and returns how far it got; a panic is an error.
func (f *Fuzzer) Feed(in Input) (outcome string, err error) {
	defer func() {
		if p := recover(); p != nil {
			outcome, err = "panic", &Panic{p, debug.Stack()}
		}
	}()
	return f.feed(f, in), nil
}

// edits draws the number of changes to a file, 1 to 8: n with a probability of 1/2^n.
func edits(rng *rand.Rand) int {
	n := 1
	for n < 8 && rng.IntN(2) == 0 {
		n++
	}
	return n
}

func changeYAML(in Input, rng *rand.Rand) []byte  { return mutate.YAML(in.Data, rng, edits(rng)) }
func changeBytes(in Input, rng *rand.Rand) []byte { return mutate.Bytes(in.Data, rng, edits(rng)) }

// globs returns a function that loads the files of some patterns.
func globs(patterns ...string) func(root string) ([]Input, error) {
	return func(root string) (list []Input, err error) {
		for _, p := range patterns {
			names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(p)))
			if err != nil {
				return nil, err
			}
			for _, name := range names {
				data, err := os.ReadFile(name)
				if err != nil {
					return nil, err
				}
				at, err := filepath.Rel(root, name)
				if err != nil {
					return nil, err
				}
				list = append(list, Input{filepath.ToSlash(at), data})
			}
		}
		return list, nil
	}
}
