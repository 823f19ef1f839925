package fuzz

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// What one command line may take without naming a limit.
const (
	mostTime   = 30 * time.Second // of the processor
	mostMemory = 2 << 30
	mostWait   = 5 * time.Minute
)

// readers are the command lines that read a file of a kind. FILE is the file, DIR a folder for results, ROOT that of the sources.
var readers = map[string][]string{
	".spv": {"validate FILE", "inspect FILE", "inspect FILE --listing", "disasm FILE -o DIR/text", "init FILE -o DIR/job.yaml",
		"run DIR/job.yaml --quiet --max-cycles 3000 --max-seconds 10", "graph DIR/job.yaml"},
	".spvasm":    {"validate FILE", "asm FILE -o DIR/m.spv", "init FILE -o DIR/job.yaml"},
	"job":        {"run FILE --quiet --max-cycles 3000 --max-seconds 10", "graph FILE", "validate FILE", "inspect FILE", "report FILE --set limits.cycles=3000 --out DIR/page.html"},
	"machine":    {"machine FILE", "run saxpy --machine FILE --quiet --max-cycles 3000 --max-seconds 10"},
	"experiment": {"sweep FILE --dry-run"},
	"figure":     {"plot ROOT/plots/testdata/schedulers.csv FILE -o DIR"},
	".csv":       {"plot FILE ROOT/plots/testdata/line.yaml -o DIR", "report FILE --out DIR/page.html"},
	".parquet":   {"plot FILE ROOT/plots/testdata/line.yaml -o DIR", "report FILE --out DIR/page.html"},
	".json":      {"report FILE --out DIR/page.html"},
}

// commandBases are the files of the other targets, with modules made from nothing.
func commandBases(root string) (list []Input, err error) {
	for _, bases := range []func(string) ([]Input, error){
		moduleBases, nestBases, globs("experiments/library/*.yaml", "config/machines/*.yaml", "experiments/figures/*.yaml", "plots/testdata/*.yaml", "plots/testdata/*.csv",
			"internal/fuzz/testdata/*.parquet", "gpu/testdata/*.spvasm"), profileBases,
	} {
		more, err := bases(root)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

func changeAny(in Input, rng *rand.Rand) []byte {
	switch {
	case in.Data == nil:
		return changeNest(in, rng)
	case kindOf(in) == ".spv":
		return changeModule(in, rng)
	case path.Ext(in.Base) == ".yaml":
		return changeYAML(in, rng)
	}
	return changeBytes(in, rng)
}

// kindOf is the kind of an input, as readers knows it: by its folder where that says more than its extension.
func kindOf(in Input) string {
	for folder, kind := range map[string]string{"experiments/library": "job", "config/machines": "machine", "experiments/figures": "experiment", "plots/testdata": "figure"} {
		if path.Dir(in.Base) == folder && path.Ext(in.Base) == ".yaml" {
			return kind
		}
	}
	if ext := path.Ext(in.Base); ext != ".spvasm" || !strings.HasPrefix(string(in.Data), "\x03\x02\x23\x07") {
		return ext
	}
	return ".spv" // modules are changed in their binary form
}

// builtCommand builds the command once.
var builtCommand = sync.OnceValues(func() (string, error) {
	name := filepath.Join(os.TempDir(), "spvsim-fuzz", "spvsim")
	out, err := exec.Command("go", "build", "-o", name, "spvsim/cmd/spvsim").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return name, err
})

// command runs every command line that reads such a file, each in a process of its own.
func command(f *Fuzzer, in Input) string {
	name, err := builtCommand()
	if err != nil {
		panic(err) // it is ours
	}
	dir, err := os.MkdirTemp("", "spvsim-fuzz")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	kind := kindOf(in)
	file := filepath.Join(dir, "fuzzed"+path.Ext(in.Base))
	if kind == ".spv" {
		file = filepath.Join(dir, "fuzzed.spv")
	}
	root, err := filepath.Abs(f.root)
	if err == nil && kind != ".spv" {
		err = neighbours(dir, filepath.Join(root, filepath.FromSlash(path.Dir(in.Base))))
	}
	if err = errors.Join(err, os.WriteFile(file, in.Data, 0o600)); err != nil {
		panic(err)
	}
	done := "refused"
	for _, line := range readers[kind] {
		args := strings.Fields(line)
		for i := range args {
			args[i] = strings.NewReplacer("FILE", file, "DIR", dir, "ROOT", root).Replace(args[i])
		}
		if measured(name, dir, args) {
			done = "done"
		}
	}
	return done
}

// neighbours lets a file find those that it names beside it.
func neighbours(dir, of string) error {
	entries, err := os.ReadDir(of)
	if err != nil {
		return nil // it is of no folder
	}
	for _, e := range entries {
		if err := os.Symlink(filepath.Join(of, e.Name()), filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// measured runs one command line, and says whether it did what it was to do. What it may not do is a finding.
func measured(name, dir string, args []string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), mostWait)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), "TMPDIR="+dir)
	var errs tail
	c.Stderr = &errs
	err := c.Run()
	if c.ProcessState == nil {
		panic(err)
	}
	status := c.ProcessState.ExitCode()
	took, held := c.ProcessState.UserTime()+c.ProcessState.SystemTime(), mostHeld(c.ProcessState)
	named := status == 1 && strings.Contains(string(errs), "limit")
	if status != 0 && status != 1 && status != 2 || (took > mostTime || held > mostMemory) && !named {
		panic(fmt.Sprintf("%q: status %d, %v of the processor's time, %d bytes: %s", args, status, took, held, errs))
	}
	return status == 0
}

// A tail is the end of what was written.
type tail []byte

func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	*t = slices.Delete(*t, 0, max(0, len(*t)-4096))
	return len(p), nil
}
